// The rollouts of a search in MuJoCo: the same start, torques and steps as stride_bench.
//
//   mujoco_strides MODEL.xml STRIDE.bin CONTACT ROLLOUTS WINDOWS THREADS
//
// STRIDE.bin: u64 steps, nq, nv; f64 step; qpos, qvel, qpos_spring, then nv torques for every step (little-endian).
// CONTACT: own, MuJoCo's defaults; or hard, contacts as stiff as the step allows with an elliptic cone.
// A window is so many rollouts on every thread. Prints one JSON line: rollouts per second of the best window, steps in one, and
// how far the centre of mass goes (m), from the first pose to the one before the last step as stride_bench has it.

#define _POSIX_C_SOURCE 199309L
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <mujoco/mujoco.h>

typedef struct {
  size_t steps, nq, nv;
  double *qpos, *qvel, *torques;
} Stride;

typedef struct {
  const mjModel *m;
  mjData *d;
  const Stride *stride;
  int rollouts;
} Job;

static void fail(const char *what, const char *detail) {
  fprintf(stderr, "mujoco_strides: %s%s\n", what, detail);
  exit(1);
}

static double now_s(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double *numbers(FILE *f, size_t count) {
  double *x = malloc(count * sizeof(double));
  if (!x || fread(x, sizeof(double), count, f) != count) fail("the stride is too short", "");
  return x;
}

static Stride read_stride(const char *path, mjModel *m) {
  FILE *f = fopen(path, "rb");
  uint64_t sizes[3];
  if (!f || fread(sizes, sizeof sizes[0], 3, f) != 3) fail("cannot read ", path);
  Stride s = {.steps = sizes[0], .nq = sizes[1], .nv = sizes[2]};
  if (s.nq != (size_t)m->nq || s.nv != (size_t)m->nv || s.steps == 0) fail("a stride of another model: ", path);
  double *step = numbers(f, 1);
  m->opt.timestep = *step;
  free(step);
  s.qpos = numbers(f, s.nq);
  s.qvel = numbers(f, s.nv);
  double *spring = numbers(f, s.nq);
  memcpy(m->qpos_spring, spring, s.nq * sizeof(double));
  free(spring);
  s.torques = numbers(f, s.steps * s.nv);
  fclose(f);
  return s;
}

static void harden(mjModel *m) {
  m->opt.cone = mjCONE_ELLIPTIC;
  for (int k = 0; k < m->ngeom; k++) m->geom_solref[mjNREF * k] = 2 * m->opt.timestep;
}

static void start(const mjModel *m, mjData *d, const Stride *s) {
  mj_resetData(m, d);
  memcpy(d->qpos, s->qpos, s->nq * sizeof(double));
  memcpy(d->qvel, s->qvel, s->nv * sizeof(double));
}

static void step(const mjModel *m, mjData *d, const Stride *s, size_t k) {
  memcpy(d->qfrc_applied, s->torques + k * s->nv, s->nv * sizeof(double));
  mj_step(m, d);
}

static void *roll(void *argument) {
  Job *job = argument;
  for (int rollout = 0; rollout < job->rollouts; rollout++) {
    start(job->m, job->d, job->stride);
    for (size_t k = 0; k < job->stride->steps; k++) step(job->m, job->d, job->stride, k);
  }
  return NULL;
}

int main(int argc, char **argv) {
  if (argc != 7) fail("usage: mujoco_strides MODEL.xml STRIDE.bin own|hard ROLLOUTS WINDOWS THREADS", "");
  char error[1000] = "";
  mjModel *m = mj_loadXML(argv[1], NULL, error, sizeof error);
  if (!m) fail("cannot load the model: ", error);
  Stride stride = read_stride(argv[2], m);
  if (!strcmp(argv[3], "hard")) harden(m);
  int rollouts = atoi(argv[4]), windows = atoi(argv[5]), threads = atoi(argv[6]);
  if (rollouts < 1 || windows < 1 || threads < 1 || threads > 256) fail("needs rollouts, windows and threads", "");
  Job jobs[256];
  pthread_t ids[256];
  for (int k = 0; k < threads; k++) {
    jobs[k] = (Job){m, mj_makeData(m), &stride, rollouts};
    if (!jobs[k].d) fail("out of memory", "");
  }

  mjData *d = jobs[0].d;
  double first[3], way[3];
  start(m, d, &stride);
  for (size_t k = 0; k < stride.steps; k++) {
    step(m, d, &stride, k);  // leaves the centre of mass at the start of the step
    mju_copy3(k == 0 ? first : way, d->subtree_com);
  }
  mju_subFrom3(way, first);

  double best = 0;
  for (int window = 0; window < windows; window++) {
    double begin = now_s();
    for (int k = 0; k < threads; k++)
      if (pthread_create(&ids[k], NULL, roll, &jobs[k])) fail("no more threads", "");
    for (int k = 0; k < threads; k++) pthread_join(ids[k], NULL);
    double rate = threads * rollouts / (now_s() - begin);
    if (rate > best) best = rate;
  }
  printf("{\"per_second\":%.2f,\"steps\":%zu,\"way\":[%.9f,%.9f,%.9f]}\n", best, stride.steps, way[0], way[1], way[2]);
  return 0;
}
