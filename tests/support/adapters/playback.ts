import {createServer} from "node:http"
import {buffer} from "node:stream/consumers"
import {setTimeout as sleep} from "node:timers/promises"
import type {Peer} from "crossws"
import {adapterOf, openAccount} from "../../../server/adapters/recording/account.ts"
import type {RecordedPlatform} from "../../../server/adapters/recording/platform.ts"
import type {Exchange, Recording} from "../../../server/adapters/recording/recording.ts"
import {moveSockets} from "../../../server/adapters/recording/sockets.ts"
import {builtIns} from "../../../server/host/plugins/built-in-plugins.ts"
import {openSocket} from "../../../server/runtime/outgoing/open-socket.ts"
import {post} from "../../../server/runtime/outgoing/post.ts"
import {createLoad} from "../../../server/runtime/packages/libraries.ts"
import {serveSockets} from "../../../server/testing/platforms/fake/serve.ts"
import {Secret} from "../../../shared/secret.ts"
import {until} from "../host/process.ts"
import {root} from "../host/runtimes.ts"
import {whenOver} from "../host/shared.ts"
import {listen} from "../machine/listen.ts"

/**
 * Runs the adapter of a recording at a stand-in that gives the recorded answers: each one that has events once, and of
 * others the last one of its method. Resolves to the types of the events that the adapter makes of them.
 */
export const replay = async (recording: Recording, platform: RecordedPlatform): Promise<readonly string[]> => {
  const exchanges = recording.steps.flatMap(each => each.exchanges)
  const waiting = exchanges.filter(({method}) => platform.waits.includes(method))
  let nothingLeft = 0
  const frames = exchanges.filter(({status}) => status === 101)
  /** Sends the messages of the platform up to the next one of the adapter. */
  const pump = (peer: Peer) => {
    for (let next = frames[0]; next !== undefined && next.request === null; next = frames[0]) {
      peer.send(JSON.stringify(moved(next)))
      frames.shift()
    }
  }
  const sockets = await serveSockets(whenOver, () => new Response(null, {status: 426}), {
    open: pump,
    message: (peer, message) => {
      if (platform.frameOf(message.json()) === undefined) return
      frames.shift()
      pump(peer)
    },
  })
  const moved = ({method, response}: Exchange) =>
    moveSockets(response, platform.sockets[method] ?? "", () => sockets.replace("http", "ws"))
  const server = createServer(async (request, response) => {
    await buffer(request)
    const {pathname} = new URL(request.url ?? "/", "http://playback")
    const method = platform.methodOf(pathname, request.method ?? "GET")
    const isWaiting = platform.waits.includes(method)
    const next = isWaiting ? waiting.shift() : exchanges.findLast(each => each.method === method)
    if (isWaiting && next === undefined) {
      nothingLeft++
      await sleep(20)
    }
    response.writeHead(next?.status ?? 200, {"content-type": "application/json"})
    response.end(JSON.stringify(next === undefined ? {ok: true, result: []} : moved(next)))
  })
  const port = await listen(server)
  const plugin = await builtIns[recording.adapter]?.()
  if (plugin === undefined) throw new Error(`there is no adapter ${recording.adapter}`)
  const load = createLoad({name: recording.adapter, project: root}, plugin.libraries ?? {})
  const secret = new Secret("999:played-back")
  const account = platform.through({token: secret, botToken: secret, appToken: secret}, `http://127.0.0.1:${port}`)
  const lost: Error[] = []
  const isOver = () => frames.length === 0 && (platform.waits.length === 0 || nothingLeft > 1)
  const opened = await openAccount(adapterOf(plugin.default), account, {load, openSocket, post}, error =>
    lost.push(error),
  )
  await until("all recorded events to be read", () => isOver() || lost.length > 0)
  await sleep(200)
  await opened.close()
  if (lost[0] !== undefined) throw lost[0]
  return opened.events.map(({type}) => type)
}
