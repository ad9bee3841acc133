#ifndef CRX_IMAGE_H
#define CRX_IMAGE_H

#ifdef __cplusplus
extern "C" {
#endif

/// Keeps the shared library that contains this code loaded until the process ends. Call it before registering code that
/// runs later, such as a thread or a thread-local destructor: `dlclose` could unmap that code. Has no effect in an
/// executable.
void crx_image_keep(void);

#ifdef __cplusplus
}
#endif

#endif
