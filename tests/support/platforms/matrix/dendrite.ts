import {existsSync, mkdirSync, writeFileSync} from "node:fs"
import {join} from "node:path"
import {describe} from "vitest"
import {runProcess, startProcess, until} from "../../host/process.ts"
import {makeFolder} from "../../machine/folders.ts"
import {npmTool} from "../../machine/npm-tool.ts"
import {freePort} from "../../machine/ports.ts"
import {isToolRequired} from "../../machine/tools.ts"

const version = "0.13.7-5"

/** Dendrite, a homeserver of the Matrix project, in its npm build. It announces the versions up to v1.2. */
export const dendrite = npmTool(`dendrite-dist-${version}`, [`dendrite-dist@${version}`])

const programs = join(dendrite.folder, `node_modules/dendrite-dist-${process.platform}-${process.arch}/dist`)

export const isDendriteThere = (): boolean => {
  const found = dendrite.install() && existsSync(join(programs, "dendrite"))
  if (!found && isToolRequired) throw new Error(`SVC_TEST_REQUIRE_TOOLS is 1, and there is no dendrite in ${programs}`)
  return found
}

/** `describe`, skipped if no homeserver is available for this machine. */
export const describeWithDendrite = describe.skipIf(!isDendriteThere())

/** A real homeserver on its own loopback port. */
export interface Homeserver {
  readonly url: string
  readonly name: string
  kill(): Promise<void>
  start(): Promise<void>
}

const name = "matrix.test"

const database = (file: string) => ({database: {connection_string: `file:${file}.db`}})

/** As JSON, which is also YAML. */
const config = {
  version: 2,
  global: {
    server_name: name,
    private_key: "key.pem",
    disable_federation: true,
    cache: {max_size_estimated: 33_554_432, max_age: "1h"},
    jetstream: {in_memory: true, storage_path: "./"},
    server_notices: {enabled: false},
  },
  client_api: {registration_disabled: false, rate_limiting: {enabled: false}},
  federation_api: database("federation"),
  key_server: database("keys"),
  media_api: {...database("media"), base_path: "./media", max_file_size_bytes: 1_000_000},
  mscs: {mscs: [], ...database("mscs")},
  relay_api: database("relay"),
  room_server: {default_room_version: "10", ...database("rooms")},
  sync_api: database("sync"),
  user_api: {bcrypt_cost: 4, account_database: {connection_string: "file:accounts.db"}},
  logging: [{type: "std", level: "warn"}],
}

/** Starts a homeserver with open registration; resolves once it serves. */
export const startDendrite = async (): Promise<Homeserver> => {
  const folder = makeFolder()
  mkdirSync(join(folder, "media"))
  writeFileSync(join(folder, "dendrite.yaml"), JSON.stringify(config))
  const made = await runProcess([join(programs, "generate-keys"), "--private-key", "key.pem"], {cwd: folder})
  if (made.code !== 0) throw new Error(made.stderr)
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const options = ["--really-enable-open-registration", "--config", "dendrite.yaml", "--http-bind-address"]
  const run = () => startProcess([join(programs, "dendrite"), ...options, `127.0.0.1:${port}`], {cwd: folder})
  let running = run()
  const served = () =>
    until("the homeserver to serve", async () => {
      if (running.child.exitCode !== null) throw new Error(`the homeserver ended:\n${running.output()}`)
      return (await fetch(`${url}/_matrix/client/versions`).catch(() => undefined))?.ok === true
    })
  await served()
  return {
    url,
    name,
    kill: async () => {
      running.child.kill("SIGKILL")
      await running.finished
    },
    start: async () => {
      running = run()
      await served()
    },
  }
}
