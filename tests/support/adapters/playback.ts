import {createServer} from "node:http"
import {buffer} from "node:stream/consumers"
import {setTimeout as sleep} from "node:timers/promises"
import {adapterOf, openAccount} from "../../../server/adapters/recording/account.ts"
import type {RecordedPlatform} from "../../../server/adapters/recording/platform.ts"
import type {Recording} from "../../../server/adapters/recording/recording.ts"
import {builtIns} from "../../../server/host/plugins/built-in-plugins.ts"
import {openSocket} from "../../../server/runtime/outgoing/open-socket.ts"
import {post} from "../../../server/runtime/outgoing/post.ts"
import {createLoad} from "../../../server/runtime/packages/libraries.ts"
import {Secret} from "../../../shared/secret.ts"
import {until} from "../host/process.ts"
import {root} from "../host/runtimes.ts"
import {listen} from "../machine/listen.ts"

/**
 * Runs the adapter of a recording at a stand-in that gives the recorded answers: each one that has events once, and of
 * others the last one of its method. Resolves to the types of the events that the adapter makes of them.
 */
export const replay = async (recording: Recording, platform: RecordedPlatform): Promise<readonly string[]> => {
  const exchanges = recording.steps.flatMap(each => each.exchanges)
  const waiting = exchanges.filter(({method}) => platform.waits.includes(method))
  let nothingLeft = 0
  const server = createServer(async (request, response) => {
    await buffer(request)
    const method = platform.methodOf(request.url ?? "")
    const isWaiting = platform.waits.includes(method)
    const next = isWaiting ? waiting.shift() : exchanges.findLast(each => each.method === method)
    if (isWaiting && next === undefined) {
      nothingLeft++
      await sleep(20)
    }
    response.writeHead(next?.status ?? 200, {"content-type": "application/json"})
    response.end(JSON.stringify(next?.response ?? {ok: true, result: []}))
  })
  const port = await listen(server)
  const plugin = await builtIns[recording.adapter]?.()
  if (plugin === undefined) throw new Error(`there is no adapter ${recording.adapter}`)
  const load = createLoad({name: recording.adapter, project: root}, plugin.libraries ?? {})
  const account = platform.through({token: new Secret("999:played-back")}, `http://127.0.0.1:${port}`)
  const lost: Error[] = []
  const opened = await openAccount(adapterOf(plugin.default), account, {load, openSocket, post}, error =>
    lost.push(error),
  )
  await until("all recorded events to be read", () => nothingLeft > 1 || lost.length > 0)
  await opened.close()
  if (lost[0] !== undefined) throw lost[0]
  return opened.events.map(({type}) => type)
}
