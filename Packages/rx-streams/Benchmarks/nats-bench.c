// Runs one benchmark for each row of the table of scripts/compare-streams.sh, with NATS' own C client.
// Prints "ROW MESSAGES SECONDS" for each. The third argument selects rows.
#include <inttypes.h>
#include <nats/nats.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + time.tv_nsec / 1e9;
}

static void must(natsStatus status, const char *what) {
    if (status == NATS_OK) return;
    fprintf(stderr, "%s: %s\n", what, natsStatus_GetText(status));
    exit(1);
}

static const char *rows;

static bool wants(const char *name) {
    return rows == NULL || strstr(rows, name) != NULL;
}

static void row(const char *name, int count, double begun) {
    printf("%s %d %.6f\n", name, count, now() - begun);
    fflush(stdout);
}

static char payload[128];

static void publish_one(jsCtx *js, int count) {
    jsPubOptions publish;
    double begun = now();
    for (int index = 0; index < count; index++) {
        char id[32];
        snprintf(id, sizeof id, "one-%d", index);
        jsPubOptions_Init(&publish);
        publish.MsgId = id;
        publish.ExpectStream = "c";
        must(js_Publish(NULL, js, "c.a", payload, sizeof payload, &publish, NULL), "publish");
    }
    row("publish-1", count, begun);
}

static void publish_many(jsCtx *js, int count) {
    jsPubOptions publish;
    double begun = now();
    for (int index = 0; index < count; index++) {
        char id[32];
        snprintf(id, sizeof id, "many-%d", index);
        jsPubOptions_Init(&publish);
        publish.MsgId = id;
        publish.ExpectStream = "c";
        must(js_PublishAsync(js, "c.a", payload, sizeof payload, &publish), "publish");
    }
    must(js_PublishAsyncComplete(js, NULL), "publish");
    row("publish-256", count, begun);
}

static void hear(natsConnection *connection, int count) {
    natsSubscription *live = NULL;
    must(natsConnection_SubscribeSync(&live, connection, "live"), "subscribe");
    must(natsSubscription_SetPendingLimits(live, -1, -1), "limits");
    double begun = now();
    for (int index = 0; index < count; index++)
        must(natsConnection_Publish(connection, "live", payload, sizeof payload), "publish");
    for (int index = 0; index < count; index++) {
        natsMsg *message = NULL;
        must(natsSubscription_NextMsg(&message, live, 10000), "next");
        natsMsg_Destroy(message);
    }
    row("live", count, begun);
    natsSubscription_Destroy(live);
}

static void consume(jsCtx *js, const char *name, const char *group, int batch, int count) {
    if (!wants(name)) return;
    natsSubscription *subscription = NULL;
    jsSubOptions options;
    jsSubOptions_Init(&options);
    options.Config.MaxAckPending = 10000;
    must(js_PullSubscribe(&subscription, js, "c.a", group, NULL, &options, NULL), "subscribe");
    double begun = now();
    for (int done = 0; done < count;) {
        natsMsgList list;
        int want = count - done < batch ? count - done : batch;
        must(natsSubscription_Fetch(&list, subscription, want, 10000, NULL), "fetch");
        for (int index = 0; index < list.Count; index++) must(natsMsg_Ack(list.Msgs[index], NULL), "ack");
        done += list.Count;
        natsMsgList_Destroy(&list);
    }
    row(name, count, begun);
    natsSubscription_Destroy(subscription);
}

int main(int argc, char **argv) {
    if (argc != 3 && argc != 4) {
        fprintf(stderr, "takes the server's URL, a number of messages, and the rows if not all\n");
        return 2;
    }
    rows = argv[3];
    int many = atoi(argv[2]), few = many / 20;
    memset(payload, 'x', sizeof payload);
    natsConnection *connection = NULL;
    jsCtx *js = NULL;
    must(natsConnection_ConnectTo(&connection, argv[1]), "connect");
    jsOptions contextOptions;
    jsOptions_Init(&contextOptions);
    contextOptions.PublishAsync.MaxPending = 256;
    must(natsConnection_JetStream(&js, connection, &contextOptions), "context");
    jsStreamConfig config;
    jsStreamConfig_Init(&config);
    const char *subjects[] = {"c.a"};
    config.Name = "c";
    config.Subjects = subjects;
    config.SubjectsLen = 1;
    must(js_AddStream(NULL, js, &config, NULL, NULL), "stream");

    if (wants("publish-1")) publish_one(js, few);
    if (wants("publish-256")) publish_many(js, many);
    consume(js, "consume-1", "one", 1, few);
    consume(js, "consume-256", "many", 256, many);
    if (wants("live")) hear(connection, many);
    jsCtx_Destroy(js);
    natsConnection_Destroy(connection);
    nats_Close();
    return 0;
}
