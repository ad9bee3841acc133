#ifndef CRX_SWIFT_H
#define CRX_SWIFT_H

#ifdef __cplusplus
extern "C" {
#endif

// Of Swift's runtime, what its compiler calls in a program that is built with `-assume-single-threaded`: references
// counted by plain instructions, for an object that no other thread can reach.

/// Counts a reference to an object that no other thread knows yet. Returns the object.
void *_Nonnull swift_nonatomic_retain(void *_Nonnull object);

/// Lets go the one reference that there is to an object, of any kind.
void swift_nonatomic_release(void *_Nonnull object);

#ifdef __cplusplus
}
#endif

#endif
