#ifndef CRX_IMAGE_H
#define CRX_IMAGE_H

#ifdef __cplusplus
extern "C" {
#endif

/// Keeps the shared library that contains this code loaded until the process ends. Called before code of the library is
/// registered to run later, in a thread, a destructor of a thread-local key, or a job on a system queue, because
/// `dlclose` would unmap that code. Does nothing in an executable or after the first call.
void crx_image_keep(void);

#ifdef __cplusplus
}
#endif

#endif
