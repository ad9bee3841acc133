#ifndef CHECK_H
#define CHECK_H

#include <stdio.h>
#include <stdlib.h>

/// If the condition is false, prints it and ends the program.
#define CHECK(condition)                                                                    \
    do {                                                                                    \
        if (!(condition)) {                                                                 \
            fprintf(stderr, "%s:%d: %s: not true: %s\n", __FILE__, __LINE__, __func__, #condition); \
            abort();                                                                        \
        }                                                                                   \
    } while (0)

#define CHECK_EQUAL(actual, expected)                                                       \
    do {                                                                                    \
        long long check_actual = (long long)(actual), check_expected = (long long)(expected); \
        if (check_actual != check_expected) {                                               \
            fprintf(stderr, "%s:%d: %s: %s is %lld, not %lld\n", __FILE__, __LINE__, __func__, #actual, \
                    check_actual, check_expected);                                          \
            abort();                                                                        \
        }                                                                                   \
    } while (0)

#define RUN(test)              \
    do {                       \
        test();                \
        printf("ok %s\n", #test); \
        fflush(stdout);        \
    } while (0)

#endif
