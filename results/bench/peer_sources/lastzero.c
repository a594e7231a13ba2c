#include "shared.h"

static atomic_int a[N + 1];

static void *thread(void *argument)
{
    int i = ARGUMENT;
    if (i == 0)
        for (i = N; LOAD(a[i]) != 0; i--)
            ;
    else
        STORE(a[i], LOAD(a[i - 1]) + 1);
    return 0;
}

int main(void)
{
    run(thread, N + 1);
    return 0;
}
