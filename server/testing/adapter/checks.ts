import assert from "node:assert/strict"
import {setTimeout as sleep} from "node:timers/promises"
import {judgesAccounts, refusesCredentials} from "./account.ts"
import {actChecks} from "./acts.ts"
import {type Check, unnamed, where} from "./check.ts"
import {fileChecks} from "./files.ts"
import type {EndpointState, Trial} from "./trial.ts"

/** What the platform asks to wait, in milliseconds: longer than the Host waits by itself after a first failure. */
const askedToWait = 3000

const comesIn: Check = async trial => {
  const host = await trial.connect()
  await trial.platform.say("hello from the platform", trial.address)
  const texts = await trial.until("the event in the inbox", async () => {
    const found = await trial.received(host)
    return found.length > 0 && found
  })
  assert.deepEqual(texts, ["hello from the platform"])
  return undefined
}

const keepsOrder: Check = async trial => {
  const host = await trial.connect()
  const said = numbered("line", 20)
  for (const text of said) await trial.platform.say(text, trial.address)
  await untilReceived(trial, host, said)
  assert.deepEqual(await trial.received(host), said)
  return undefined
}

const storesOnce: Check = async trial => {
  const {platform} = trial
  if (platform.repeat === undefined) return "the platform repeats nothing: give platform.repeat"
  const host = await trial.connect()
  await platform.say("once", trial.address)
  await platform.repeat(trial.address)
  await platform.say("and more", trial.address)
  await untilReceived(trial, host, ["once", "and more"])
  assert.deepEqual(await trial.received(host), ["once", "and more"])
  return undefined
}

const givesNothingAgain = ({history}: EndpointState) =>
  history === "replay" ? undefined : `history is ${history}: the platform delivers nothing again`

const survivesKills = where(givesNothingAgain, async (trial, first) => {
  let host = first
  const kills = trial.adapter.kills ?? 5
  const said: string[] = []
  const deliveries: Promise<unknown>[] = []
  for (let kill = 0; kill < kills; kill++) {
    const burst = numbered(`burst ${kill},`, 5)
    said.push(...burst)
    deliveries.push(...burst.map(text => trial.platform.say(text, trial.address)))
    // Each kill hits another moment of the burst.
    await sleep(kill * 7)
    await host.kill()
    host = await trial.connect()
  }
  await Promise.all(deliveries)
  await untilReceived(trial, host, said).catch(async error => {
    const found = new Set(await trial.received(host))
    const lost = said.filter(text => !found.has(text))
    const why = "acknowledge a message once endpoint.receive has resolved"
    throw new Error(`${error.message}; lost are ${lost.length}, among them "${lost[0]}": ${why}`)
  })
  assert.deepEqual([...(await trial.received(host))].sort(), [...said].sort())
  return undefined
})

const hasNoGaps = (about: EndpointState) =>
  about.history === "none" ? unnamed(about, "history") : `history is ${about.history}: there are no gaps to fill`

const fetchesMissed = where(hasNoGaps, async (trial, first, {login}) => {
  let host = first
  assert.ok(login?.user, "endpoint.login tells who the bot is: the Host leaves out what the bot has said itself")
  const said: string[] = []
  const say = async (text: string) => {
    said.push(text)
    await trial.platform.say(text, trial.address)
  }
  await say("before")
  await untilReceived(trial, host, said)
  for (let kill = 0; kill < Math.min(3, trial.adapter.kills ?? 3); kill++) {
    await host.kill()
    for (const text of numbered(`missed ${kill},`, 3)) await say(text)
    let isOnline = false
    const connecting = trial.connect().finally(() => {
      isOnline = true
    })
    // What is said while it connects may come in live, and stands in the history too.
    for (let n = 1; !isOnline; n++) {
      await say(`meanwhile ${kill}, ${n}`)
      await sleep(30)
    }
    host = await connecting
    for (const text of numbered(`afterwards ${kill},`, 3)) await say(text)
    await untilReceived(trial, host, said)
    // The history may have given all of it. The Host stores what came in live before the message that follows.
    await say(`at last ${kill}`)
    await untilReceived(trial, host, said)
    const stored = await trial.received(host)
    const twice = stored.filter((text, index) => stored.indexOf(text) !== index)
    assert.deepEqual(twice, [], "an event of the history has the same id as live, so that it is stored once")
  }
  return undefined
})

const comesBack: Check = async trial => {
  const {platform} = trial
  if (platform.cut === undefined) return "connections cannot be cut: give platform.cut"
  const host = await trial.connect()
  await platform.cut()
  await platform.say("after the cut", trial.address)
  // What was said meanwhile is lost where the platform has no history: then the next is what counts.
  await trial.until("the endpoint to receive again", async () => {
    const {state} = await trial.read(host)
    if (state !== "online") return false
    await platform.say("and after it", trial.address)
    await sleep(200)
    return (await trial.received(host)).includes("and after it")
  })
  const {history} = await trial.read(host)
  if (history === "replay")
    assert.ok((await trial.received(host)).includes("after the cut"), "nothing is lost by a cut")
  return undefined
}

const sendsInOrder: Check = async trial => {
  const host = await trial.connect()
  const texts = numbered("message", 5)
  const ids: string[] = []
  for (const text of texts) ids.push(await trial.send(host, text))
  for (const id of ids) await trial.untilSent(host, id, "sent")
  const heard = async () => (await trial.platform.heard(trial.address)).map(({text}) => text)
  await trial.until("the messages to arrive", async () => (await heard()).length >= texts.length)
  assert.deepEqual(await heard(), texts)
  return undefined
}

const waitsWhenAsked: Check = async trial => {
  const {platform} = trial
  if (platform.slowDown === undefined) return "the platform never asks to wait: give platform.slowDown"
  const host = await trial.connect()
  await platform.slowDown(askedToWait)
  const asked = Date.now()
  const id = await trial.send(host, "when you like")
  await trial.untilSent(host, id, "sent")
  const heard = await platform.heard(trial.address)
  assert.deepEqual(
    heard.map(({text}) => text),
    ["when you like"],
  )
  const waited = (heard[0]?.at ?? 0) - asked
  assert.ok(
    waited >= askedToWait * 0.9,
    `the platform asked for ${askedToWait} ms, and the message came after ${waited} ms: throw retryAfter(…)`,
  )
  return undefined
}

const leavesNothing: Check = async trial => {
  const {platform} = trial
  const host = await trial.connect()
  await platform.say("before the end", trial.address)
  await trial.until("the event in the inbox", async () => (await trial.received(host)).length > 0)
  await trial.remove(host)
  const {connections} = platform
  if (connections !== undefined) {
    const what = "the connections of a removed account to close: undo each acquisition with endpoint.defer"
    await trial.until(what, async () => (await connections()) === 0)
  }
  assert.equal(await host.stop(), 0, "the Host ends by itself, with exit code 0")
  return undefined
}

/** By the sentence about the adapter that each proves. */
export const allChecks: Readonly<Record<string, Check>> = {
  "hands a message to the inbox": comesIn,
  "hands messages over in their order": keepsOrder,
  "gives a message that comes again the same id, so that it is stored once": storesOnce,
  "acknowledges only what is durable: nothing is lost or doubled by kill -9": survivesKills,
  "fetches what it missed, under the ids that it has live": fetchesMissed,
  "fails with a remediation, and does not try again, where credentials are refused": refusesCredentials,
  "tells in its check whether an account can work": judgesAccounts,
  "comes back after its connection was cut": comesBack,
  "sends each message once and in order": sendsInOrder,
  "waits where the platform asks it to": waitsWhenAsked,
  ...actChecks,
  ...fileChecks,
  "leaves nothing behind when its account is removed and the Host stops": leavesNothing,
}

const numbered = (word: string, count: number) => Array.from({length: count}, (_, index) => `${word} ${index + 1}`)

const untilReceived = (trial: Trial, host: Parameters<Trial["received"]>[0], texts: readonly string[]) =>
  trial.until(`${texts.length} messages in the inbox`, async () => {
    const found = new Set(await trial.received(host))
    return texts.every(text => found.has(text))
  })
