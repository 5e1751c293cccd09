/** What has not ended: handlers, those that a kill has cut off before, messages. */
export interface Open {
  readonly marks: number
  readonly suspects: number
  readonly messages: number
}

/** In the `setup` of a plugin: its route `GET /open` tells what has not ended. */
export const openRoute = `plugin.route({
      method: "GET",
      path: "/open",
      scope: "full",
      summary: "What has not ended",
      handle: async (_, call) => {
        const [row] = await plugin.database.read(
          "SELECT (SELECT count(*) FROM inbox_marks WHERE state IN ('pending', 'running')) AS marks,"
            + " (SELECT count(*) FROM inbox_marks WHERE state IN ('pending', 'running') AND crashes > 0) AS suspects,"
            + " (SELECT count(*) FROM outbox WHERE state IN ('queued', 'sending')) AS messages")
        return call.json(Type.Object({}), {
          marks: Number(row!.marks), suspects: Number(row!.suspects), messages: Number(row!.messages),
        })
      },
    })`
