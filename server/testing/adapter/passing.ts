import assert from "node:assert/strict"
import type {Check} from "./check.ts"
import type {AccountUnderTest, PlatformUnderTest} from "./platform.ts"
import {faultNames, startRefusingProxy} from "./refusing-proxy.ts"

/** The name of the check, and why it may check nothing. */
export const passingName = "is online again by itself after a refusal that passes"
export const notOverHttp = "the platform is not asked over HTTP at an address that platform.hostile replaces"

export const survivesPassingRefusals: Check = async trial => {
  const {platform} = trial
  const origin = originOf(platform)
  if (origin === undefined) return notOverHttp
  const proxy = await startRefusingProxy(origin)
  try {
    const host = await trial.start(accountAt(platform, origin, proxy.port))
    const {history} = await trial.untilState(host, "online")
    // Each fault is a first one, because later pauses are minutes.
    const reconnect = () => host.api.post("/api/endpoints/:name/reconnect", {name: trial.endpoint})
    const said: string[] = []
    const saying: Promise<void>[] = []
    for (const fault of faultNames) {
      await reconnect()
      await trial.untilState(host, "online")
      if (!proxy.refuse(fault)) await reconnect()
      if (history === "replay") {
        said.push(`during ${fault}`)
        saying.push(platform.say(`during ${fault}`, trial.address))
      }
      await trial.until(`the endpoint to be online again after ${fault}`, async () => {
        const {state, error} = await trial.read(host)
        const advice = "set passing for a refusal that the platform itself may not have made"
        assert.notEqual(state, "failed", `${fault} ended the endpoint (${error}): ${advice}`)
        return proxy.hasRefused && state === "online"
      })
    }
    await Promise.all(saying)
    said.push("well again")
    await platform.say("well again", trial.address)
    await trial.until("the messages that were sent meanwhile", async () => {
      const received = await trial.received(host)
      return said.every(text => received.includes(text))
    })
  } finally {
    proxy.close()
  }
  return undefined
}

/** A port that no account has by chance. */
const unused = 65_432

/** The address that the account of `hostile` replaces by that of the hostile server. */
export const originOf = ({account, hostile}: PlatformUnderTest): URL | undefined => {
  if (account === undefined || hostile === undefined) return undefined
  const other = JSON.stringify(hostile({port: unused, isSecure: false}).account)
  const urls = [...JSON.stringify(account).matchAll(/"((?:http|ws):\/\/[^"]+)"/g)].map(([, url = ""]) => new URL(url))
  return urls.find(({port}) => other.includes(`:${unused}`) && !other.includes(`:${port}`))
}

export const accountAt = ({account}: PlatformUnderTest, {host}: URL, port: number): AccountUnderTest =>
  JSON.parse(JSON.stringify(account).replaceAll(host, `127.0.0.1:${port}`))
