// SPDX-License-Identifier: Apache-2.0
#ifndef LOCK_H
#define LOCK_H

#include <pthread.h>

class Lock
{
  public:
    Lock()
    {
        pthread_mutex_init(&mutex, nullptr);
    }
    ~Lock()
    {
        pthread_mutex_destroy(&mutex);
    }
    void acquire()
    {
        pthread_mutex_lock(&mutex);
    }
    void release()
    {
        pthread_mutex_unlock(&mutex);
    }

  private:
    pthread_mutex_t mutex;
};

class ScopedLock
{
  public:
    explicit ScopedLock(Lock &l) : lock(l)
    {
        lock.acquire();
    }
    ~ScopedLock()
    {
        lock.release();
    }

  private:
    Lock &lock;
};

#endif
