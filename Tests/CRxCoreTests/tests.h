#ifndef TESTS_H
#define TESTS_H

/// After this call, SIGTERM prints each thread's call stack and ends the program.
void watch_for_hangs(void);

enum { IS_TRACING = 64, IS_LISTING = 32 };

void state_tests(void);
void thread_tests(void);
void watch_tests(void);
void lock_tests(void);
void gate_tests(void);
void bag_tests(void);
void opening_tests(void);
void wheel_tests(void);
void timer_tests(void);
/// With a `scale` of 1, these tests take a few seconds.
void stress_tests(double scale);
void timer_stress_tests(double scale);

#endif
