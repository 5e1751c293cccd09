/** The result of one check. An error fails the doctor; a warning does not. */
export interface Finding {
  readonly check: string
  readonly level: "ok" | "warning" | "error"
  readonly detail: string
  readonly remediation?: string
}

export const ok = (check: string, detail: string): Finding => ({check, level: "ok", detail})

const to =
  (level: "warning" | "error") =>
  (check: string, detail: string, remediation: string): Finding => ({check, level, detail, remediation})

export const warning = to("warning")
export const error = to("error")

export const mebibytes = (bytes: number) => `${Math.round(bytes / 1024 ** 2)} MiB`
