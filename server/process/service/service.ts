/** A file for the service manager that `svc service install` writes. */
export interface ServiceFile {
  readonly path: string
  readonly text: string
}

export interface ServiceState {
  readonly manager: "systemd" | "launchd"
  /** The name of the unit, or the label. */
  readonly name: string
  readonly installed: boolean
  /** Whether it starts at boot or at login. */
  readonly enabled: boolean
  readonly running: boolean
  /** The state in the words of the service manager. */
  readonly state: string
  readonly pid: number | null
  readonly restarts: number | null
  readonly file: string
}

/** A project's Host as a service of the machine. */
export interface Service {
  readonly files: readonly ServiceFile[]
  /**
   * Writes, enables and starts the service, and skips steps that are already done. Reports each step. Throws
   * `service_refused` before it changes anything, and `service_failed`.
   */
  install(report: (step: string) => void): Promise<void>
  /** Stops, disables and removes the service, and leaves the project as it is. Throws `service_failed`. */
  uninstall(report: (step: string) => void): Promise<void>
  /** Resolves to the state. Throws `service_failed` if the service manager does not answer. */
  state(): Promise<ServiceState>
  /** Returns the command line that prints its log. */
  logs(options: {readonly follow: boolean; readonly lines: number}): readonly string[]
}

export interface ServiceOptions {
  /** The absolute path of the project. */
  readonly project: string
  readonly name: string
  /** The absolute path of the runtime; `launcher` is that of `cli/launch.js`. */
  readonly runtime: string
  readonly launcher: string
  /** The folder of the svc package, with the templates. */
  readonly packageRoot: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly user: {readonly id: number; readonly name: string; readonly home: string}
}

/** Returns a name that service managers accept: `team-my-bot` for `@team/my bot`. */
export const serviceName = (name: string): string =>
  name
    .replace(/[^A-Za-z0-9_.-]+/g, "-")
    .replace(/^[-.]+|-+$/g, "")
    .toLowerCase()
