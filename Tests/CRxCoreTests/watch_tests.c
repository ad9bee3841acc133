#define _GNU_SOURCE
#include "CRxCore.h"
#include "check.h"
#include "tests.h"

#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/// Runs this program with `variable` set to `value`, or unset if `value` is null, and returns the exit status.
static int status_with(const char *variable, const char *value) {
    CHECK((value == NULL ? unsetenv(variable) : setenv(variable, value, 1)) == 0);
    char *arguments[] = {"tests", "--environment", NULL};
    pid_t child;
    int status;
    CHECK(posix_spawn(&child, "/proc/self/exe", NULL, NULL, arguments, environ) == 0);
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(unsetenv(variable) == 0);
    CHECK(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void is_switched_on_by(const char *variable, int on) {
    // Skipped under qemu, where /proc/self/exe is not this program.
    if (getenv("CRX_TESTS_EMULATED") != NULL) {
        return;
    }
    CHECK_EQUAL(status_with(variable, NULL), 0);
    CHECK_EQUAL(status_with(variable, ""), 0);
    CHECK_EQUAL(status_with(variable, "0"), 0);
    CHECK_EQUAL(status_with(variable, "1"), on);
    CHECK_EQUAL(status_with(variable, "yes"), on);
    CHECK_EQUAL(status_with(variable, "00"), on);
}

static void resources_are_counted_from_the_start_where_the_environment_says_so(void) {
    is_switched_on_by("RX_RESOURCES_TRACING", IS_TRACING);
}

static void subscriptions_are_listed_from_the_start_where_the_environment_says_so(void) {
    is_switched_on_by("RX_SUBSCRIPTIONS", IS_LISTING);
}

static void each_watch_bit_is_switched_alone(void) {
    CHECK(!crx_watch_any(CRX_WATCH_LISTING | CRX_WATCH_STALLS));
    crx_watch_set(CRX_WATCH_LISTING, true);
    CHECK(crx_watch_any(CRX_WATCH_LISTING) && !crx_watch_any(CRX_WATCH_STALLS));
    crx_watch_set(CRX_WATCH_STALLS, true);
    crx_watch_set(CRX_WATCH_LISTING, false);
    CHECK(!crx_watch_any(CRX_WATCH_LISTING) && crx_watch_any(CRX_WATCH_STALLS));
    crx_watch_set(CRX_WATCH_STALLS, false);
    CHECK(!crx_watch_any(CRX_WATCH_LISTING | CRX_WATCH_STALLS));
}

static void recording_of_resources_and_call_stacks_is_switched_separately(void) {
    for (int turn = 0; turn < 2; turn++) {
        crx_resources_set_tracing(true);
        CHECK(crx_resources_is_tracing() && !crx_call_stacks_are_recorded());
        crx_call_stacks_record(true);
        crx_resources_set_tracing(false);
        CHECK(!crx_resources_is_tracing() && crx_call_stacks_are_recorded());
        crx_call_stacks_record(false);
        CHECK(!crx_resources_is_tracing() && !crx_call_stacks_are_recorded());
    }
}

static const char somewhere = 1;

// Skipped under qemu, where a statically linked program may find no file for its addresses.
static void address_in_a_file_has_its_offset(void) {
    unsigned long offset = 0, symbol_offset = 0;
    const char *symbol = NULL;
    const char *file = crx_watch_image((void *)&somewhere, &offset, &symbol, &symbol_offset);
    if (getenv("CRX_TESTS_EMULATED") != NULL && file == NULL) {
        return;
    }
    CHECK(file != NULL && file[0] != '\0');
    CHECK(offset > 0);
    CHECK(memcmp(&somewhere - offset, "\177ELF", 4) == 0);
}

static void address_outside_all_files_has_no_file(void) {
    unsigned long offset = 7, symbol_offset = 7, bias = 0;
    const char *symbol = NULL;
    int here;
    CHECK(crx_watch_image(&here, &offset, &symbol, &symbol_offset) == NULL);
    CHECK_EQUAL(offset, 7);
    CHECK(!crx_watch_program(&here, &bias));
}

static void program_address_is_found_with_its_load_bias(void) {
    unsigned long bias = 0, offset = 0, symbol_offset = 0;
    const char *symbol = NULL;
    CHECK(crx_watch_program(&somewhere, &bias));
    CHECK(bias <= (unsigned long)&somewhere);
    // `strtol` is in a shared library, except in a static program.
    void *shared = (void *)(uintptr_t)&strtol;
    if (crx_watch_image(shared, &offset, &symbol, &symbol_offset) != NULL && !crx_watch_program(shared, &bias)) {
        CHECK(symbol != NULL && symbol_offset == 0);
    }
}

void watch_tests(void) {
    RUN(resources_are_counted_from_the_start_where_the_environment_says_so);
    RUN(subscriptions_are_listed_from_the_start_where_the_environment_says_so);
    RUN(each_watch_bit_is_switched_alone);
    RUN(recording_of_resources_and_call_stacks_is_switched_separately);
    RUN(address_in_a_file_has_its_offset);
    RUN(address_outside_all_files_has_no_file);
    RUN(program_address_is_found_with_its_load_bias);
}
