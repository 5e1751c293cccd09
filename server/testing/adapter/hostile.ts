import assert from "node:assert/strict"
import {setTimeout as sleep} from "node:timers/promises"
import type {Check} from "./check.ts"
import type {HostUnderTest} from "./host-under-test.ts"
import {attacks, type HostileServer, startHostileServer, suits} from "./hostile-server.ts"
import type {Trial} from "./trial.ts"

/** How much more memory a Host may need during an attack, in bytes. */
const mostMemory = 64 * 1024 * 1024

/** How long an attack lasts at least, in milliseconds: longer than the first pauses between connections. */
const watched = 2000

/** Attacks that no limit of size ends, but a timeout. */
const slow: ReadonlySet<string> = new Set(["deep JSON", "a megabyte a second of junk", "half a TLS handshake"])

export const survivesHostility: Check = async trial => {
  const {hostile} = trial.platform
  if (hostile === undefined) return "the platform is no server that could be hostile: set platform.hostile"
  const host = await trial.connect()
  let tried = 0
  for (const attack of attacks) {
    for (const isAnswered of [false, true]) {
      const isSecure = attack === "half a TLS handshake"
      if (isAnswered && (isSecure || hostile({port: 0, isSecure}).answers === undefined)) continue
      const server = await startHostileServer(attack, port => (isAnswered ? hostile({port, isSecure}).answers : {}))
      try {
        const before = await host.memory()
        await trial.start(hostile({port: server.port, isSecure}).account)
        if (await suffers(trial, host, {attack, server, before})) tried++
      } finally {
        server.close()
      }
    }
  }
  assert.ok(tried > 0, "platform.hostile must return an account at the address that it gets")
  await trial.connect()
  await trial.platform.say("well again", trial.address)
  await trial.until("a message after the attacks", async () => (await trial.received(host)).includes("well again"))
  return undefined
}

interface Attacked {
  readonly attack: string
  readonly server: HostileServer
  /** The Host's memory before the attack, in bytes. */
  readonly before: number
}

const suffers = async (trial: Trial, host: HostUnderTest, {attack, server, before}: Attacked): Promise<boolean> => {
  await trial.until("the adapter to connect to the hostile server", async () => server.attacked.length > 0)
  if (!server.attacked.some(spoken => suits(attack, spoken))) return false
  const began = performance.now()
  let most = before
  let told: string | undefined
  await trial.until(`the endpoint to try again after ${attack}`, async () => {
    await sleep(50)
    most = Math.max(most, await host.memory())
    // A reload may just replace the endpoint.
    const about = await trial.read(host).catch(() => undefined)
    const {state, error} = about ?? {}
    assert.notEqual(state, "online", `the endpoint must not be online during ${attack}`)
    told ??= error
    const isTrying = server.attacked.length > 1 && told !== undefined
    return (isTrying || state === "failed" || slow.has(attack)) && performance.now() - began > watched
  })
  const grown = Math.round((most - before) / 1e6)
  assert.ok(most - before <= mostMemory, `the Host must not need ${grown} MB more memory for ${attack}`)
  return true
}
