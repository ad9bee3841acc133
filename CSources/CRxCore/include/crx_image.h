#ifndef CRX_IMAGE_H
#define CRX_IMAGE_H

#ifdef __cplusplus
extern "C" {
#endif

/// Keeps the shared library that contains this code loaded until the process ends. Call it before registering code that
/// runs later, in a thread, a destructor of a thread-local key or a job on a system queue, because `dlclose` could
/// unmap that code. Has no effect in an executable.
void crx_image_keep(void);

#ifdef __cplusplus
}
#endif

#endif
