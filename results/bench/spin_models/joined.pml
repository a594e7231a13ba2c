/* With -DJOINED, what a thread does for itself is one step with an access to what is shared. */
#ifdef JOINED
#define JOIN d_step
#else
#define JOIN
#endif
