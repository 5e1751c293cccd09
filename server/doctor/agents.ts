import {type Finding, warning} from "./finding.ts"

/** Work of a running Host's agents that waits for a person. */
export interface StuckAgents {
  /** Whether a restore holds runs. */
  readonly held: boolean
  /** The newest calls that wait for an approval. */
  readonly approvals: readonly {readonly id: string; readonly agent: string; readonly tool: string}[]
}

export const checkAgents = ({held, approvals}: StuckAgents): readonly Finding[] => [
  ...(held
    ? [
        warning(
          "agents",
          "a restore holds runs of agents",
          "svc agent runs --state held; then svc agent release --held, or svc agent discard --held",
        ),
      ]
    : []),
  ...approvals.map(({id, agent, tool}) =>
    warning(
      "agents",
      `the agent ${agent} waits for an approval of ${tool}`,
      `svc agent approve ${id}, or svc agent deny ${id}`,
    ),
  ),
]
