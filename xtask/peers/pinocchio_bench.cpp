// Times Pinocchio's smooth dynamics on states made by prepare.py.
//
//   pinocchio_bench MODEL.pin.txt STATES.bin REPEATS
//
// Prints one JSON line: best nanoseconds per call of each stage, and checksums.
// States arrive in MuJoCo's coordinates and are converted before the clock starts; checksums are
// converted back, so that every program prints the same numbers for the same physics.

#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/cholesky.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/rnea.hpp>
#include <pinocchio/multibody.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

namespace pin = pinocchio;
using Eigen::Matrix3d;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;

struct State
{
  VectorXd q, v, tau;
};

struct Problem
{
  pin::Model model;
  std::vector<std::string> types; // per joint of the file: free, ball, hinge, slide
  std::vector<double> refs;       // value of a hinge or slide coordinate in the zero pose
  std::vector<State> states;
};

static void readModel(const char * path, Problem & out)
{
  std::ifstream in(path);
  std::string word;
  int version = 0, count = 0;
  Vector3d gravity;
  in >> word >> version;
  if (!in || word != "pinocchio-model" || version != 1)
    throw std::runtime_error(std::string("not a model description: ") + path);
  in >> word >> gravity[0] >> gravity[1] >> gravity[2] >> word >> count;
  out.model.gravity.linear(gravity);

  std::vector<double> armature;
  for (int i = 0; i < count; i++)
  {
    std::string type;
    int parent;
    double ref, mass, arm;
    Matrix3d rot, inertia;
    Vector3d pos, com;
    in >> type >> parent >> ref;
    for (int k = 0; k < 9; k++)
      in >> rot(k / 3, k % 3);
    in >> pos[0] >> pos[1] >> pos[2] >> mass >> com[0] >> com[1] >> com[2];
    for (int k = 0; k < 9; k++)
      in >> inertia(k / 3, k % 3);
    in >> arm;
    if (!in)
      throw std::runtime_error(std::string("truncated model description: ") + path);

    pin::JointModel joint;
    if (type == "free")
      joint = pin::JointModelFreeFlyer();
    else if (type == "ball")
      joint = pin::JointModelSpherical();
    else if (type == "hinge")
      joint = pin::JointModelRZ();
    else if (type == "slide")
      joint = pin::JointModelPZ();
    else
      throw std::runtime_error("unknown joint type: " + type);

    // Joint 0 is Pinocchio's universe, so indices of the file are off by one.
    const pin::JointIndex id =
      out.model.addJoint(parent + 1, joint, pin::SE3(rot, pos), std::to_string(i));
    out.model.appendBodyToJoint(id, pin::Inertia(mass, com, inertia), pin::SE3::Identity());
    out.model.armature.segment(out.model.idx_vs[id], out.model.nvs[id]).setConstant(arm);
    out.types.push_back(type);
    out.refs.push_back(ref);
  }
}

static Matrix3d rotation(const VectorXd & q, int at)
{
  return Eigen::Quaterniond(q[at + 3], q[at], q[at + 1], q[at + 2]).toRotationMatrix();
}

// MuJoCo: quaternions wxyz, linear part of a free joint in world axes.
// Pinocchio: quaternions xyzw, linear part in the axes of the body.
static void readStates(const char * path, Problem & out)
{
  std::ifstream in(path, std::ios::binary);
  std::uint64_t head[3] = {0, 0, 0};
  in.read(reinterpret_cast<char *>(head), sizeof head);
  const pin::Model & model = out.model;
  if (!in || head[0] == 0 || head[1] != std::uint64_t(model.nq) || head[2] != std::uint64_t(model.nv))
    throw std::runtime_error(std::string("states do not fit the model: ") + path);

  for (std::uint64_t s = 0; s < head[0]; s++)
  {
    State state{VectorXd(model.nq), VectorXd(model.nv), VectorXd(model.nv)};
    for (VectorXd * x : {&state.q, &state.v, &state.tau})
      in.read(reinterpret_cast<char *>(x->data()), x->size() * sizeof(double));
    if (!in)
      throw std::runtime_error(std::string("truncated states: ") + path);

    for (std::size_t i = 0; i < out.types.size(); i++)
    {
      const int iq = model.idx_qs[i + 1], iv = model.idx_vs[i + 1];
      if (out.types[i] == "hinge" || out.types[i] == "slide")
      {
        state.q[iq] -= out.refs[i];
        continue;
      }
      const int quat = out.types[i] == "free" ? iq + 3 : iq;
      std::rotate(&state.q[quat], &state.q[quat] + 1, &state.q[quat] + 4);
      if (out.types[i] == "free")
      {
        const Matrix3d rot = rotation(state.q, quat);
        state.v.segment<3>(iv) = rot.transpose() * state.v.segment<3>(iv).eval();
        state.tau.segment<3>(iv) = rot.transpose() * state.tau.segment<3>(iv).eval();
      }
    }
    out.states.push_back(state);
  }
}

struct Checksums
{
  double mass_matrix = 0, factor = 0, bias = 0, forward = 0, energy = 0;
};

// With v_mujoco = P v (P rotates the linear part of free joints), also P has a rate of change:
// a_mujoco = P (a + w x v). Bias and acceleration need that term, the mass matrix only P.
static Checksums check(const Problem & problem, pin::Data & data)
{
  const pin::Model & model = problem.model;
  Checksums sum;
  for (const State & s : problem.states)
  {
    MatrixXd mass = pin::crba(model, data, s.q).selfadjointView<Eigen::Upper>();
    pin::cholesky::decompose(model, data);
    VectorXd bias = pin::rnea(model, data, s.q, s.v, VectorXd::Zero(model.nv));
    VectorXd acc = pin::aba(model, data, s.q, s.v, s.tau, pin::Convention::WORLD);
    sum.energy += 0.5 * s.v.dot(mass * s.v);

    VectorXd turn = VectorXd::Zero(model.nv);
    for (std::size_t i = 0; i < problem.types.size(); i++)
      if (problem.types[i] == "free")
      {
        const int iv = model.idx_vs[i + 1];
        turn.segment<3>(iv) = s.v.segment<3>(iv + 3).cross(s.v.segment<3>(iv));
      }
    bias -= mass * turn;
    acc += turn;

    for (std::size_t i = 0; i < problem.types.size(); i++)
      if (problem.types[i] == "free")
      {
        const int iv = model.idx_vs[i + 1];
        const Matrix3d rot = rotation(s.q, model.idx_qs[i + 1] + 3);
        mass.middleRows<3>(iv) = (rot * mass.middleRows<3>(iv)).eval();
        mass.middleCols<3>(iv) = (mass.middleCols<3>(iv) * rot.transpose()).eval();
        bias.segment<3>(iv) = rot * bias.segment<3>(iv).eval();
        acc.segment<3>(iv) = rot * acc.segment<3>(iv).eval();
      }

    for (int col = 0; col < model.nv; col++)
      sum.mass_matrix += mass.col(col).tail(model.nv - col).lpNorm<1>();
    sum.factor += data.D.array().log().sum(); // log det M, the same for every factorisation
    sum.bias += bias.lpNorm<1>();
    sum.forward += acc.lpNorm<1>();
  }
  return sum;
}

// One clock pair per pass over all states; keeps the best pass.
template<typename Call>
static void time(const std::vector<State> & states, double & best, Call call)
{
  const auto start = std::chrono::steady_clock::now();
  for (const State & s : states)
  {
    call(s);
    asm volatile("" ::: "memory"); // the results count as used
  }
  const std::chrono::duration<double, std::nano> spent = std::chrono::steady_clock::now() - start;
  best = std::min(best, spent.count() / states.size());
}

int main(int argc, char ** argv)
try
{
  if (argc != 4)
    throw std::runtime_error("usage: pinocchio_bench MODEL.pin.txt STATES.bin REPEATS");
  Problem problem;
  readModel(argv[1], problem);
  readStates(argv[2], problem);
  const int repeats = std::max(1, std::atoi(argv[3]));

  const pin::Model & model = problem.model;
  const std::vector<State> & states = problem.states;
  pin::Data data(model);
  const Checksums sum = check(problem, data); // also warms caches

  const double inf = std::numeric_limits<double>::infinity();
  const VectorXd zero = VectorXd::Zero(model.nv);
  double mass_matrix = inf, factor = inf, bias = inf, forward = inf;
  // Of Pinocchio's equivalents these were the fastest: crba in local, aba in world convention, and
  // rnea at zero acceleration rather than nonLinearEffects.
  for (int r = 0; r < repeats; r++)
  {
    time(states, mass_matrix, [&](const State & s) { pin::crba(model, data, s.q); });
    time(states, factor, [&](const State & s) {
      pin::crba(model, data, s.q);
      pin::cholesky::decompose(model, data);
    });
    time(states, bias, [&](const State & s) { pin::rnea(model, data, s.q, s.v, zero); });
    time(states, forward, [&](const State & s) {
      pin::aba(model, data, s.q, s.v, s.tau, pin::Convention::WORLD);
    });
  }

  std::printf(
    "{\"program\":\"pinocchio\",\"version\":\"%s\",\"states\":%zu,\"repeats\":%d,"
    "\"stages\":{\"mass_matrix\":%.1f,\"factor\":%.1f,\"bias\":%.1f,\"forward\":%.1f},"
    "\"checksums\":{\"mass_matrix\":%.17g,\"factor\":%.17g,\"bias\":%.17g,\"forward\":%.17g},"
    "\"energy\":%.17g}\n",
    PINOCCHIO_VERSION, states.size(), repeats, mass_matrix, factor, bias, forward, sum.mass_matrix,
    sum.factor, sum.bias, sum.forward, sum.energy);
  return 0;
}
catch (const std::exception & error)
{
  std::fprintf(stderr, "pinocchio_bench: %s\n", error.what());
  return 1;
}
