import {describe, expect, test} from "vitest"
import {startHost, type TestHost} from "../../support/host/host.ts"
import {until} from "../../support/host/process.ts"
import {runtimes} from "../../support/host/runtimes.ts"

const config = "http: {port: 0}\nplugins: {sandbox: {}, album: {}}\n"

/** Answers with a file of random bytes, so that the Host stores each. */
const album = (version: number) => `import {definePlugin, h} from "svc-runtime"
import {randomBytes} from "node:crypto"

export default definePlugin({
  setup(plugin) {
    plugin.command("picture", () => h("file", {src: randomBytes(300_000), title: "${version}.bin"}))
  },
})
`

const ask = (host: TestHost, count: number) =>
  Promise.all(
    Array.from({length: count}, (_, n) =>
      host.post<{sn: number}>("/api/plugins/sandbox/messages", {text: "/picture", channel: `c${n}`}),
    ),
  )

/** The states of all handlers, once none is pending or running. */
const statesOf = (host: TestHost, sns: readonly number[]) =>
  until("all handlers to end", async () => {
    const marks = await Promise.all(
      sns.map(async sn => (await host.get<{marks: {state: string; error: string | null}[]}>(`/api/inbox/${sn}`)).marks),
    )
    const states = marks.flat().map(({state, error}) => error ?? state)
    return !states.some(state => state === "pending" || state === "running") && states
  })

describe.each(runtimes)("handlers that answer with files, on $name", runtime => {
  test("are not cut off by reloads", async () => {
    const host = await startHost({runtime, config, plugins: {album: album(0)}, args: ["--no-watch"]})
    const sns: number[] = []
    for (let version = 1; version <= 5; version++) {
      const asked = ask(host, 25)
      host.project.write("plugins/album.ts", album(version))
      await host.post("/api/system/reload")
      sns.push(...(await asked).map(({sn}) => sn))
    }
    expect(new Set(await statesOf(host, sns))).toEqual(new Set(["handled"]))
  })
})
