import assert from "node:assert/strict"
import {after, test} from "node:test"
import {setTimeout as sleep} from "node:timers/promises"
import {fileURLToPath} from "node:url"
import {startBot} from "svc-runtime/test"
import {adapterChecks} from "svc-runtime/test/adapter"
import adapter from "../plugins/lines.ts"
import {LineServer, password} from "./server.ts"

const env = {LINES_PASSWORD: password, LINES_WRONG_PASSWORD: "another-one"}

const until = async (holds: () => boolean) => {
  while (!holds()) await sleep(10)
}

test("answers a command that the platform delivers", async () => {
  Object.assign(process.env, env)
  const server = new LineServer()
  const account = {id: "home", port: await server.listen(), password: "${LINES_PASSWORD}"}
  const bot = await startBot({plugins: {adapter: {plugin: adapter, endpoints: [account]}}})
  try {
    server.say("ada", "!help help")
    await until(() => server.heard.length > 0)
    assert.match(server.heard[0]?.text ?? "", /^!help/)
  } finally {
    await bot.close()
    server.close()
  }
})

/** The checks that every adapter must pass. Most of them share one Host. */
const checks = adapterChecks(
  {
    use: fileURLToPath(new URL("../plugins/lines.ts", import.meta.url)),
    name: "lines",
    env,
    platform: async defer => {
      const server = new LineServer()
      const port = await server.listen()
      defer(() => server.close())
      return {
        account: {id: "home", port, password: "${LINES_PASSWORD}"},
        refused: {id: "home", port, password: "${LINES_WRONG_PASSWORD}"},
        channel: "room",
        say: async text => {
          const id = server.say("ada", text)
          await until(() => server.isAcknowledged(id))
        },
        repeat: async () => server.repeat(),
        heard: () => server.heard,
        cut: () => server.cut(),
        connections: () => server.sockets.size,
        slowDown: milliseconds => server.slowDown(milliseconds),
      }
    },
  },
  after,
)
for (const {name, run} of checks) test(name, async () => void (await run()))
