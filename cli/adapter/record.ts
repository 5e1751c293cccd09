import {Option} from "clipanion"
import {check} from "../../server/config/check.ts"
import {parseConfig, readConfigText, readEnvironment} from "../../server/config/load.ts"
import {invalid} from "../../server/config/text/source.ts"
import {loadRecorder} from "../../server/host/plugins/built-in-plugins.ts"
import {loadRuntime} from "../../server/runtime/engines/load-runtime.ts"
import {openSocket} from "../../server/runtime/outgoing/open-socket.ts"
import {post} from "../../server/runtime/outgoing/post.ts"
import {createLoad} from "../../server/runtime/packages/libraries.ts"
import {projectPaths} from "../../server/runtime/project.ts"
import {bypassProxy} from "../../server/runtime/proxy.ts"
import {Problem} from "../../shared/problems.ts"
import type {TSchema} from "../../shared/type.ts"
import {connectUnlessStopped} from "../kit/host-client.ts"
import {rowCommand} from "../kit/rows.ts"
import {environment} from "../kit/stoppable-command.ts"

export const record = rowCommand({
  description: "record how a platform answers an adapter, without what people said",
  details: `
    Asks you for eight short steps in a chat with the bot, and writes recordings/<adapter>.json. Enter skips a step. Ctrl-C ends the recording and keeps what there is. svc replaces texts, names, ids and times, and writes no file that still has the token or an original in it.

    Use a test bot, because its messages reach no plugin meanwhile. Works only while no Host has the endpoint.
  `,
  examples: [["Record Telegram", "svc adapter record telegram~main"]],
  options: {name: Option.String({name: "endpoint"}), environment},
  run: async given => {
    const [slot = "", id] = given.name.split("~")
    const {schema, libraries, record: start} = await loadRecorder(slot)
    const taken = await (await connectUnlessStopped(given.folder))?.get("/api/endpoints")
    if (taken?.items.some(({name}) => name === given.name))
      throw new Problem("conflict", `a running Host has the endpoint ${given.name}`, {
        hint: `Stop the Host with svc runtime stop, or take the endpoint from it: svc plugin disable ${slot}.`,
      })
    const {value, secrets} = await readAccount(given.folder, given.environment, slot, id, schema)
    bypassProxy(new URL("http://127.0.0.1"))
    const done = await start({
      account: value as Readonly<Record<string, unknown>>,
      secrets,
      folder: given.folder,
      tools: {load: createLoad({name: slot, project: given.folder}, libraries), openSocket, post},
      serve: async how =>
        (await loadRuntime()).serve({...how, host: "127.0.0.1", port: 0, fixed: {}, connections: 100}),
      tell: text => given.tell(text),
    })
    given.show(done, ({file}) => `wrote ${file}; read it through before you send it`)
  },
})

/** Reads one entry of `plugins.<name>.endpoints`. Throws `config_invalid`, and `endpoint_unknown` if there is none. */
const readAccount = async (project: string, name: string, slot: string, id: string | undefined, schema: TSchema) => {
  const {variables} = await readEnvironment(project, name, process.env)
  const {source, config} = parseConfig(await readConfigText(projectPaths(project).config), variables)
  for (const [plugin, {use = plugin, endpoints = []}] of Object.entries(config.plugins))
    for (const [index, {id: own, outbox: _, inbox: __, ...account}] of endpoints.entries()) {
      if (use !== slot || own !== id) continue
      const checked = check(source, variables, schema, account, ["plugins", plugin, "endpoints", index])
      if (checked.issues.length > 0) throw invalid(checked.issues)
      return checked
    }
  throw new Problem("endpoint_unknown", `svc.config.yml has no endpoint ${slot}~${id}`, {
    hint: `Add an entry to plugins.${slot}.endpoints: svc adapter add ${slot} adds or prints one.`,
  })
}
