import assert from "node:assert/strict"
import {setTimeout as sleep} from "node:timers/promises"
import {judgesAccounts, refusesCredentials} from "./account.ts"
import {actChecks, showsWriting} from "./acts.ts"
import {type Check, unnamed, where} from "./check.ts"
import {fileChecks} from "./files.ts"
import {survivesHostility} from "./hostile.ts"
import {passingName, survivesPassingRefusals} from "./passing.ts"
import type {EndpointState, Trial} from "./trial.ts"

/** How long the platform asks to wait, in milliseconds: longer than the Host's own pause after a first failure. */
const askedToWait = 3000

const comesIn: Check = async trial => {
  const host = await trial.connect()
  await trial.platform.say("hello from the platform", trial.address)
  const texts = await trial.until("the event in the inbox", async () => {
    const found = await trial.received(host)
    return found.length > 0 && found
  })
  assert.deepEqual(texts, ["hello from the platform"])
}

const keepsOrder: Check = async trial => {
  const host = await trial.connect()
  const said = numbered("line", 20)
  for (const text of said) await trial.platform.say(text, trial.address)
  await untilReceived(trial, host, said)
  assert.deepEqual(await trial.received(host), said)
}

const storesOnce: Check = async trial => {
  const {platform} = trial
  if (platform.repeat === undefined) return "the platform repeats nothing: set platform.repeat"
  const host = await trial.connect()
  await platform.say("once", trial.address)
  await platform.repeat(trial.address)
  await platform.say("and more", trial.address)
  await untilReceived(trial, host, ["once", "and more"])
  assert.deepEqual(await trial.received(host), ["once", "and more"])
  return undefined
}

const givesNothingAgain = ({history}: EndpointState) =>
  history === "replay" ? undefined : `history is ${history}: the platform redelivers nothing`

const survivesKills = where(givesNothingAgain, async (trial, first) => {
  let host = first
  const kills = trial.adapter.kills ?? 5
  const said: string[] = []
  const deliveries: Promise<unknown>[] = []
  for (let kill = 0; kill < kills; kill++) {
    const burst = numbered(`burst ${kill},`, 5)
    said.push(...burst)
    deliveries.push(...burst.map(text => trial.platform.say(text, trial.address)))
    // Each kill hits a different moment of the burst.
    await sleep(kill * 7)
    await host.kill()
    host = await trial.connect()
  }
  await Promise.all(deliveries)
  await untilReceived(trial, host, said).catch(async error => {
    const found = new Set(await trial.received(host))
    const lost = said.filter(text => !found.has(text))
    const why = "acknowledge a message only once endpoint.receive has resolved"
    throw new Error(`${error.message}; ${lost.length} messages were lost, among them "${lost[0]}": ${why}`)
  })
  assert.deepEqual([...(await trial.received(host))].sort(), [...said].sort())
})

const hasNoGaps = (about: EndpointState) =>
  about.history === "none" ? unnamed(about, "history") : `history is ${about.history}: there are no gaps to fill`

const fetchesMissed = where(hasNoGaps, async (trial, first, {login}) => {
  let host = first
  assert.ok(login?.user, "the adapter must call endpoint.login, so that the Host can leave out the bot's own messages")
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
    // Messages sent while it connects may arrive live, and are also in the history.
    for (let n = 1; !isOnline; n++) {
      await say(`meanwhile ${kill}, ${n}`)
      await sleep(30)
    }
    host = await connecting
    for (const text of numbered(`afterwards ${kill},`, 3)) await say(text)
    await untilReceived(trial, host, said)
    // The history may have returned all messages. The Host stores live messages before what follows them.
    await say(`at last ${kill}`)
    await untilReceived(trial, host, said)
    const stored = await trial.received(host)
    const twice = stored.filter((text, index) => stored.indexOf(text) !== index)
    assert.deepEqual(twice, [], "an event must have the same id in the history as live, so the Host stores it once")
  }
})

const comesBack: Check = async trial => {
  const {platform} = trial
  if (platform.cut === undefined) return "connections cannot be cut: set platform.cut"
  const host = await trial.connect()
  await platform.cut()
  await platform.say("after the cut", trial.address)
  // Messages sent meanwhile are lost if the platform has no history. Then the next message counts.
  await trial.until("the endpoint to receive again", async () => {
    const {state} = await trial.read(host)
    if (state !== "online") return false
    await platform.say("and after it", trial.address)
    await sleep(200)
    return (await trial.received(host)).includes("and after it")
  })
  const {history} = await trial.read(host)
  if (history === "replay")
    assert.ok((await trial.received(host)).includes("after the cut"), "a cut connection must lose no messages")
  return undefined
}

const sendsInOrder: Check = async trial => {
  const host = await trial.connect()
  const texts = numbered("message", 5)
  const ids: string[] = []
  for (const text of texts) ids.push(await trial.send(host, text))
  for (const id of ids) await trial.untilSent(host, id, "sent")
  const heard = async () => (await trial.heard()).map(({text}) => text)
  await trial.until("the messages to arrive", async () => (await heard()).length >= texts.length)
  assert.deepEqual(await heard(), texts)
}

const waitsWhenAsked: Check = async trial => {
  const {platform} = trial
  if (platform.slowDown === undefined) return "the platform never asks to wait: set platform.slowDown"
  const host = await trial.connect()
  await platform.slowDown(askedToWait)
  const asked = Date.now()
  const id = await trial.send(host, "when you like")
  await trial.untilSent(host, id, "sent")
  const heard = await trial.heard()
  assert.deepEqual(
    heard.map(({text}) => text),
    ["when you like"],
  )
  const waited = (heard[0]?.at ?? 0) - asked
  assert.ok(
    waited >= askedToWait * 0.9,
    `the platform asked to wait ${askedToWait} ms, but the message arrived after ${waited} ms: throw retryAfter(…)`,
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
    const what = "the connections of a removed account to close: register an undo for each with endpoint.defer"
    await trial.until(what, async () => (await connections()) === 0)
  }
  assert.equal(await host.stop(), 0, "the Host must exit gracefully, with code 0")
}

/**
 * The checks by what they prove about the adapter. Each can follow the one before it in the same Host: those that change
 * the plugins, the connections or the account are the last.
 */
export const allChecks: Readonly<Record<string, Check>> = {
  "passes a message to the inbox": comesIn,
  "passes messages to the inbox in order": keepsOrder,
  "gives a redelivered message the same id, so that it is stored once": storesOnce,
  "acknowledges only durable events: kill -9 loses and duplicates nothing": survivesKills,
  "fetches missed messages under the same ids as live": fetchesMissed,
  "sends each message once and in order": sendsInOrder,
  "waits when the platform asks it to": waitsWhenAsked,
  ...actChecks,
  ...fileChecks,
  "shows that the bot is writing": showsWriting,
  "reconnects after its connection was cut": comesBack,
  "bounds what a hostile server sends, and recovers": survivesHostility,
  [passingName]: survivesPassingRefusals,
  "reports in its check whether an account can work": judgesAccounts,
  "fails with a remediation and does not retry when credentials are refused": refusesCredentials,
  "leaves nothing behind when its account is removed and the Host stops": leavesNothing,
}

const numbered = (word: string, count: number) => Array.from({length: count}, (_, index) => `${word} ${index + 1}`)

const untilReceived = (trial: Trial, host: Parameters<Trial["received"]>[0], texts: readonly string[]) =>
  trial.until(`${texts.length} messages in the inbox`, async () => {
    const found = new Set(await trial.received(host))
    return texts.every(text => found.has(text))
  })
