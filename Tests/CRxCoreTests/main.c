#include "CRxCore.h"
#include "tests.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Runs all tests. An argument sets the scale of the stress tests. With `--environment`, runs no test: the exit status
// has a bit for each switch that the environment has set.
int main(int count, char **arguments) {
    if (count > 1 && strcmp(arguments[1], "--environment") == 0) {
        return (crx_resources_is_tracing() ? IS_TRACING : 0) | (crx_watch_any(CRX_WATCH_LISTING) ? IS_LISTING : 0);
    }
    watch_for_hangs();
    state_tests();
    thread_tests();
    watch_tests();
    lock_tests();
    gate_tests();
    bag_tests();
    opening_tests();
    wheel_tests();
    timer_tests();
    stress_tests(count > 1 ? atof(arguments[1]) : 1);
    timer_stress_tests(count > 1 ? atof(arguments[1]) : 1);
    puts("all passed");
    return 0;
}
