#ifndef CRX_IMAGE_H
#define CRX_IMAGE_H

#ifdef __cplusplus
extern "C" {
#endif

/// Keeps the shared library that contains this code loaded until the process ends. Called before the library hands out
/// code that is run later (a thread, a thread-local key with a destructor, a job on a queue of the system), which
/// `dlclose` would unmap. Does nothing in an executable, and nothing after the first call.
void crx_image_keep(void);

#ifdef __cplusplus
}
#endif

#endif
