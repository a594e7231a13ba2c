#include "shared.h"

static atomic_int x;

static void *thread(void *argument)
{
    if (ARGUMENT == 0)
        STORE(x, 1);
    else
        (void)LOAD(x);
    return 0;
}

int main(void)
{
    run(thread, N + 1);
    return 0;
}
