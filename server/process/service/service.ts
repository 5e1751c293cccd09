/** A file of a service manager, as `svc service install` writes it. */
export interface ServiceFile {
  readonly path: string
  readonly text: string
}

export interface ServiceState {
  readonly manager: "systemd" | "launchd"
  /** The unit, or the label. */
  readonly name: string
  readonly installed: boolean
  /** Whether it is started with the machine, or with the login. */
  readonly enabled: boolean
  readonly running: boolean
  /** In the words of the service manager. */
  readonly state: string
  readonly pid: number | null
  readonly restarts: number | null
  readonly file: string
}

/** A project's Host as a service of the machine. */
export interface Service {
  readonly files: readonly ServiceFile[]
  /**
   * Writes, enables and starts it; what is so already stays so. Reports each step that it took. Throws `service_refused` before
   * anything was changed, `service_failed`.
   */
  install(report: (step: string) => void): Promise<void>
  /** Stops, disables and removes it; nothing of it is left. The project stays as it is. Throws `service_failed`. */
  uninstall(report: (step: string) => void): Promise<void>
  /** Throws `service_failed` where the service manager cannot be asked. */
  state(): Promise<ServiceState>
  /** The command line that prints its log. */
  logs(options: {readonly follow: boolean; readonly lines: number}): readonly string[]
}

/** What a service is made of. */
export interface ServiceOptions {
  /** Absolute. */
  readonly project: string
  /** The project's name. */
  readonly name: string
  /** Absolute: what runs the Host, and `cli/launch.js`. */
  readonly runtime: string
  readonly launcher: string
  /** The folder of the svc package, with the templates. */
  readonly packageRoot: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly user: {readonly id: number; readonly name: string; readonly home: string}
}

/** A name that service managers take: of `@team/my bot`, `team-my-bot`. */
export const serviceName = (name: string): string =>
  name
    .replace(/[^A-Za-z0-9_.-]+/g, "-")
    .replace(/^[-.]+|-+$/g, "")
    .toLowerCase()
