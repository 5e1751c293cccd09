/** Unfinished work: handlers, handlers that a kill has interrupted before, messages, and timers with runs of agents. */
export interface Open {
  readonly marks: number
  readonly suspects: number
  readonly messages: number
  readonly later: number
}

/** For the `setup` of a plugin: a route `GET /open` that returns the unfinished work. */
export const openRoute = `plugin.route({
      method: "GET", path: "/open", scope: "full", summary: "Unfinished work",
      handle: async (_, call) => {
        const [row] = await plugin.database.read(
          "SELECT (SELECT count(*) FROM inbox_marks WHERE state IN ('pending', 'running')) AS marks,"
            + " (SELECT count(*) FROM inbox_marks WHERE state IN ('pending', 'running') AND crashes > 0) AS suspects,"
            + " (SELECT count(*) FROM outbox WHERE state IN ('queued', 'sending')) AS messages,"
            + " (SELECT count(*) FROM timers) + (SELECT count(*) FROM agent_runs WHERE ended_at IS NULL) AS later")
        return call.json(Type.Object({}), {
          marks: Number(row!.marks), suspects: Number(row!.suspects), messages: Number(row!.messages),
          later: Number(row!.later),
        })
      },
    })`
