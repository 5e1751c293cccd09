import {pluginWith} from "./plugin-sources.ts"

/** A platform that is never online, with events of the given age, and a command that waits for the file `go`. */
export const door = pluginWith(`
    let opened
    plugin.adapter("door", {
      history: "none",
      open: (account, endpoint) => {
        opened = endpoint
        return new Promise(() => {})
      },
    })
    plugin.command("open <n>", async ({args}) => {
      while (!existsSync(join(plugin.project, "go"))) await sleep(10)
      note("open " + args.n)
    })
    plugin.timer("tick", {}, () => note("tick"))
    plugin.route({
      method: "POST", path: "/say", scope: "full", summary: "say", body: Type.Object({text: Type.String(), age: Type.Number()}),
      handle: async (_, call) => {
        const {text, age} = call.body
        const timestamp = Date.now() - age
        const message = {id: text, content: text}
        return Response.json(await opened.receive({id: text, type: "message-created", timestamp, channel: {id: "c", type: 1}, user: {id: "ann"}, message}))
      },
    })`)
