import {linesIn} from "../../support/host/process.ts"
import {pluginWith} from "../../support/plugins/plugin-sources.ts"

/** Source of a plugin that logs in every possible way and place, and floods the log on request. */
export const talkerPlugin = pluginWith(`
    plugin.command("tell", ({session}) => {
      session.log.info("by the session")
      plugin.log.info("by the plugin")
      console.log("by the %s", "console", {n: 1})
      console.error(new Error("of the console"))
      return "told"
    })
    plugin.route({
      method: "POST", path: "/say", scope: "full", summary: "say",
      body: Type.Object({text: Type.String(), times: Type.Optional(Type.Integer())}),
      handle: async (_, call) => {
        const {text, times = 1} = call.body as any
        for (let time = 1; time <= times; time++) plugin.log.info(times === 1 ? text : text + " " + time)
        return call.json(Type.Object({}), {})
      },
    })`)

export const talkerConfig = `http: {port: 0, token: "\${HTTP_TOKEN}"}
plugins: {sandbox: {}, talker: {}}
`

/** Options for a Host that runs the talker in production and logs one JSON object a line. */
export const talkerHost = {
  config: talkerConfig,
  plugins: {talker: talkerPlugin},
  env: {HTTP_TOKEN: "the-full-token-of-the-talker"},
  args: ["--mode", "production", "--no-watch"],
} as const

type Fields = Readonly<Record<string, unknown>>

/** The records in a process's standard output so far. Throws for a line that is not a JSON object. */
export const recordsIn = (output: string): readonly Fields[] => linesIn(output).map(line => JSON.parse(line) as Fields)
