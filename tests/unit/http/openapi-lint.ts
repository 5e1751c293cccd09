import {execFile} from "node:child_process"
import {readFileSync} from "node:fs"
import core from "@stoplight/spectral-core"
import rulesets from "@stoplight/spectral-rulesets"
import {root} from "../../support/host/runtimes.ts"

/** The shipped description, which the build makes. */
export const openApiFile = `${root}dist/openapi.json`

/** One complaint of a linter: `<severity> <rule> <where>`. */
type Complaint = string

interface RedoclyReport {
  readonly problems: readonly {
    readonly severity: string
    readonly ruleId: string
    readonly location: readonly {readonly pointer?: string}[]
  }[]
}

/** Runs `redocly lint` with its recommended rules, without telemetry and without a check for updates. */
export const lintWithRedocly = async (file: string): Promise<readonly Complaint[]> => {
  const args = [`${root}node_modules/@redocly/cli/bin/cli.js`, "lint", file, "--extends", "recommended"]
  const env = {...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true"}
  const printed = await new Promise<string>((resolve, reject) => {
    // For an invalid document, redocly exits with 1 and prints its report.
    execFile(process.execPath, [...args, "--format", "json", "--max-problems", "10000"], {env}, (error, stdout) =>
      stdout.startsWith("{") ? resolve(stdout) : reject(error ?? new Error("redocly printed no report")),
    )
  })
  const {problems}: RedoclyReport = JSON.parse(printed)
  return problems.map(({severity, ruleId, location}) => `${severity} ${ruleId} ${location[0]?.pointer ?? ""}`)
}

const severities = ["error", "warn", "info", "hint"]

/** Runs Spectral with the recommended rules of its OpenAPI rule set. */
export const lintWithSpectral = async (file: string): Promise<readonly Complaint[]> => {
  const spectral = new core.Spectral()
  spectral.setRuleset(new core.Ruleset({extends: [[rulesets.oas, "recommended"]]}))
  const found = await spectral.run(JSON.parse(readFileSync(file, "utf8")))
  return found.map(({severity, code, path}) => `${severities[severity]} ${code} #/${path.join("/")}`)
}
