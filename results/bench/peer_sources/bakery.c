#include "shared.h"

static atomic_int choosing[N], num[N];

static void *thread(void *argument)
{
    int i = ARGUMENT, mine = 1;
    STORE(choosing[i], 1);
    for (int j = 0; j < N; j++)
        if (j != i) {
            int above = LOAD(num[j]) + 1;
            mine = above > mine ? above : mine;
        }
    STORE(num[i], mine);
    STORE(choosing[i], 0);
    for (int j = 0; j < N; j++)
        if (j != i) {
            ASSUME(LOAD(choosing[j]) == 0);
            int theirs = LOAD(num[j]);
            ASSUME(theirs == 0 || mine < theirs || (mine == theirs && i < j));
        }
    critical_section(i);
    STORE(num[i], 0);
    return 0;
}

int main(void)
{
    run(thread, N);
    return 0;
}
