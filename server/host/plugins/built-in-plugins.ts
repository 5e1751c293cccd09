import type {Mode} from "../../../shared/mode.ts"
import {type BuiltIns, Loader} from "../../generation/plugins/load.ts"
import {ownModule} from "../../runtime/own-files.ts"
import type {ProjectPaths} from "../../runtime/project.ts"
import type {Runtime} from "../../runtime/runtime.ts"

/** The plugins that come with svc: adapters, `agents`, and `workroom`, which a Host replaces by its own workroom's. */
export const builtIns: BuiltIns = {
  workroom: () => import("../../workroom/open.ts").then(({closedWorkroomPlugin}) => closedWorkroomPlugin()),
  agents: () => import("../../agents/triggers/plugin.ts").then(({closedAgentsPlugin}) => closedAgentsPlugin()),
  sandbox: () => import("../../adapters/sandbox/index.ts"),
  discord: () => import("../../adapters/discord/index.ts"),
  email: () => import("../../adapters/email/index.ts"),
  irc: () => import("../../adapters/irc/index.ts"),
  matrix: () => import("../../adapters/matrix/index.ts"),
  mqtt: () => import("../../adapters/mqtt/index.ts"),
  onebot: () => import("../../adapters/onebot/index.ts"),
  satori: () => import("../../adapters/satori/index.ts"),
  "satori-bridge": () => import("../../adapters/satori-bridge/index.ts"),
  slack: () => import("../../adapters/slack/index.ts"),
  telegram: () => import("../../adapters/telegram/index.ts"),
  webhook: () => import("../../adapters/webhook/index.ts"),
  xmpp: () => import("../../adapters/xmpp/index.ts"),
}

/** Loads the code that sends mail as the adapter does, but without an endpoint. */
export const loadMail = () => import("../../adapters/email/plain.ts")

/** Loads what records the traffic of a built-in adapter, which then runs without a Host. Throws `unsupported`. */
export const loadRecorder = (slot: string) =>
  import("../../adapters/recording/recorder.ts").then(({createRecorder}) => createRecorder(slot, builtIns))

/** Absolute paths of the Host's own SDK, by specifier, so that all plugins share one copy. */
export const sdkPaths = {"svc-runtime": ownModule("shared/sdk/sdk.ts")}

/** What a Host was started with. */
interface Asked {
  readonly mode: Mode
  readonly allowStale?: boolean
  readonly plugins?: BuiltIns
}

/** Creates a Host's loader of plugins. `plugins` belong to the Host's parts; `kept` is a kept generation's folder. */
export const createLoader = (
  host: Asked,
  runtime: Runtime,
  paths: ProjectPaths,
  plugins: BuiltIns,
  kept?: string,
): Loader =>
  new Loader({
    runtime,
    paths,
    builtIns: {...builtIns, ...plugins, ...host.plugins},
    builds: host.mode !== "production" ? "fallback" : host.allowStale === true ? "stale" : "required",
    ...(kept === undefined ? {} : {kept}),
    cache: paths.pluginCache,
    sdk: sdkPaths,
  })
