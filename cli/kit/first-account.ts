import {builtIns} from "../../server/host/plugins/built-in-plugins.ts"
import type {NewAccount} from "../../server/process/new-account.ts"
import {didYouMean} from "../../server/runtime/text/suggest.ts"
import type {AccountSetup, Met} from "../../shared/account-setup.ts"
import {messageOf, Problem} from "../../shared/problems.ts"
import {withDeadline} from "../../shared/sdk/adapter/deadline.ts"
import {isRefusal, refused} from "../../shared/sdk/adapter/refusal.ts"
import {askLine} from "./ask-line.ts"

/** The built-in adapters that have a `setup`. */
export const setUpPlatforms = ["telegram", "discord", "matrix", "slack"] as const

type Values = Readonly<Record<string, string>>

export interface FirstAccount extends NewAccount {
  /** What to do next on the platform. */
  readonly next: string
}

interface Options {
  readonly apiUrl: string | undefined
  readonly isChecked: boolean
  readonly print: (text: string) => void
  readonly tell: (text: string) => void
}

/** How often svc asks a person, and how long it waits for a platform, in milliseconds. */
const most = {tries: 3, wait: 20_000}

/**
 * Gets the values of a first account from the environment, or from a person at the terminal, and has the platform check
 * them. Writes nothing. Throws `not_found` for an unknown platform, and `request_invalid`.
 */
export const makeAccount = async (platform: string, options: Options): Promise<FirstAccount> => {
  const load = setUpPlatforms.some(name => name === platform) ? builtIns[platform] : undefined
  const {setup, libraries = {}} = (await load?.()) ?? {}
  if (setup === undefined)
    throw new Problem("not_found", `svc init cannot set up "${platform}"${didYouMean(platform, setUpPlatforms)}`, {
      hint: `Choose one of ${setUpPlatforms.join(", ")}; for others, run svc adapter add in the new project.`,
    })
  const fixed = options.apiUrl === undefined ? {} : {[setup.address]: options.apiUrl}
  const {values, met} = await tryValues(setup, fixed, options)
  if (met !== undefined) options.print(`svc: checked: ${met.name} on ${setup.title}`)
  const secrets = setup.questions.filter(({isPublic}) => isPublic !== true)
  const named = Object.fromEntries(secrets.map(({key, variable}) => [key, `\${${variable}}`]))
  return {
    plugin: platform,
    id: setup.id,
    value: {...values, ...named, ...setup.more},
    secrets: Object.fromEntries(secrets.map(({key, variable}) => [variable, values[key] ?? ""])),
    libraries,
    next: [`On ${setup.title}:`, ...(met?.next ?? [setup.next])].join("\n\n  "),
  }
}

interface Tried {
  readonly values: Values
  readonly met?: Met
}

const tryValues = async (setup: AccountSetup, fixed: Values, {isChecked, tell}: Options): Promise<Tried> => {
  const isTerminal = process.stdin.isTTY === true
  for (let attempt = 1; ; attempt++) {
    const values = {...fixed, ...(await readValues(setup, fixed, isTerminal, attempt === 1))}
    try {
      requirePlain(setup, values)
      if (!isChecked) return {values}
      return {values, met: await withDeadline(most.wait, signal => setup.meet(values, signal))}
    } catch (error) {
      if (!isRefusal(error)) throw unanswered(setup, error)
      if (!isTerminal || attempt === most.tries)
        throw new Problem("request_invalid", error.message, {hint: error.remediation})
      tell(`svc: ${error.message}`)
    }
  }
}

/** Reads the values by their keys. Variables count only `once`: a person corrects a wrong one. */
const readValues = async (setup: AccountSetup, fixed: Values, isTerminal: boolean, once: boolean): Promise<Values> => {
  const open = setup.questions.filter(({key}) => fixed[key] === undefined)
  const missing = open.filter(({variable}) => (process.env[variable] ?? "") === "")
  if (missing.length > 0 && !isTerminal)
    throw new Problem("request_invalid", `${missing.map(({variable}) => variable).join(" and ")} must be set`, {
      hint: `There is no terminal to ask on. ${missing.map(({variable, where}) => `${variable}: ${where}`).join(" ")}`,
    })
  const values: Record<string, string> = {}
  for (const {key, variable, where, isPublic} of open) {
    const given = once ? process.env[variable] : undefined
    values[key] = given || (await askLine(`${where}\n${variable}: `, isPublic !== true))
  }
  return values
}

/** Refuses a value that `.env` would need quotes for: no platform has such ones. */
const requirePlain = ({questions}: AccountSetup, values: Values): void => {
  const wrong = questions.find(({key}) => !/^[\w.:/+=~-]+$/.test(values[key] ?? ""))
  if (wrong === undefined) return
  const remediation = `Copy it without spaces and quotes. ${wrong.where}`
  throw refused(`${wrong.variable} is empty, or has characters that it cannot have`, {reason: "value", remediation})
}

const unanswered = ({title}: AccountSetup, cause: unknown): Problem =>
  new Problem("request_invalid", `could not check the account on ${title}: ${messageOf(cause)}`, {
    cause,
    hint: "svc wrote nothing. Repeat the command when the network works, or with --no-check.",
  })
