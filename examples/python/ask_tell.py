"""Learns to hold a cart at rest in a loop of one's own: retropg asks, the loop runs the trajectories and tells them."""

import numpy as np
import retropg


def run(sampler, parameters, start):
    """One trajectory of the plant: position and velocity, moved by a force of at most 3."""
    state, steps = start, []
    for _ in range(40):
        action = sampler.act(state)
        force = np.clip(action[0], -3.0, 3.0)  # the plant clips; what is told is the action as drawn
        steps.append((state, action, -state @ state - 0.1 * force**2))
        state = state + 0.1 * np.array([state[1], force])
    return retropg.Trajectory(*map(np.array, zip(*steps)), parameters)


agent = retropg.Agent(observation_size=2, action_size=1, action_low=-3.0, action_high=3.0, horizon=40, budget=200)
random = np.random.default_rng(1)
while not agent.finished:
    for draw in agent.ask():
        for j, sampler in enumerate(draw):
            parameters = None if draw.parameters is None else draw.parameters[j]
            agent.tell(draw.id, [run(sampler, parameters, random.uniform(-1.0, 1.0, size=2))])
    record = agent.update()
    agent.save("agent.safetensors")  # Agent.load goes on from here, also in the middle of a batch

print(f"mean return {record.return_mean:.2f} after {record.trajectories} trajectories")
print("action at (1, 0):", agent.get_policy().predict([1.0, 0.0])[0])
