#ifndef TESTS_H
#define TESTS_H

/// Where its threads are, is what a program says that is terminated: as one that hangs is.
void watch_for_hangs(void);

/// What the program says of its environment, as its status.
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
/// Threads against threads; `scale` 1 takes a few seconds.
void stress_tests(double scale);
void timer_stress_tests(double scale);

#endif
