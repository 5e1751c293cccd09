/** The source of a plugin with this body of `setup`, and its other properties, such as `config`, on the same line. */
export const pluginWith = (
  setup: string,
  more = "",
): string => `import {definePlugin, Type, refused, retryAfter, file, h, markdown} from "svc-runtime"
import {appendFileSync, existsSync} from "node:fs"
import {join} from "node:path"
import {setTimeout as sleep} from "node:timers/promises"

export default definePlugin({${more === "" ? "" : `${more.replaceAll("\n", " ")},`}
  setup(plugin${more === "" ? "" : ", config"}) {
    const note = (text: string) => appendFileSync(join(plugin.project, "notes.log"), text + "\\n")
    ${setup}
  },
})
`

/** What the plugins of a project have noted so far. */
export const notesIn = (project: {read(path: string): string}): readonly string[] =>
  project.read("notes.log").split("\n").slice(0, -1)

/** The source of a plugin with one command that answers with a fixed text. */
export const replying = (command: string, text: string): string =>
  pluginWith(`plugin.command("${command}", () => "${text}")`)

/** Its `setup` does not end before the project has the file `go`. */
export const slowPlugin = pluginWith(`
    return (async () => {
      while (!existsSync(join(plugin.project, "go"))) await sleep(10)
    })()`)

/** A part of `setup`: a stand-in for a platform with the bot Robo, and a route that delivers events. */
export const robo = `
    let wire
    plugin.adapter("wire", {
      history: "none",
      open: async (_, endpoint) => {
        wire = endpoint
        endpoint.login({platform: "wire", user: {id: "b7", name: "Robo", is_bot: true}, status: 1})
        return {send: async message => ({ids: [message.id]})}
      },
    })
    plugin.route({method: "POST", path: "/wire", scope: "full", summary: "Receive", body: Type.Object({}, {additionalProperties: true}),
      handle: async (_, call) => Response.json(await wire.receive(call.body), {status: 202})})`

/**
 * The source of a stand-in for a platform with accounts: slot \`wire\`, with an endpoint for each account. It notes
 * each opening and closing in \`notes.log\`, and a route delivers a message.
 */
export const wirePlugin = pluginWith(`
    const opened = new Map<string, any>()
    plugin.adapter("wire", {
      history: "none", account: Type.Object({room: Type.Optional(Type.String())}),
      open: async (account, endpoint) => {
        note("open " + endpoint.name)
        opened.set(endpoint.name, endpoint)
        endpoint.defer(() => note("close " + endpoint.name))
        return {send: async message => ({ids: [message.id]})}
      },
    })
    plugin.route({
      method: "POST", path: "/receive/:endpoint", scope: "full", summary: "receive",
      body: Type.Object({id: Type.String(), text: Type.String(), channel: Type.String()}),
      handle: async (_, call) => {
        const {id, text, channel} = call.body as any
        const receipt = await opened.get(call.params.endpoint).receive({
          id, type: "message-created", channel: {id: channel, type: 1}, user: {id: "you"},
          message: {id, content: text},
        })
        return call.json(Type.Object({}), receipt, {status: 202})
      },
    })
    plugin.defer(() => note("disposed"))`)
