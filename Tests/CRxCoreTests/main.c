#include "tests.h"

#include <stdio.h>
#include <stdlib.h>

// Without an argument the truth tables and a short stress run; with one, that much of it.
int main(int count, char **arguments) {
    watch_for_hangs();
    state_tests();
    thread_tests();
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
