import {builtIns} from "../../server/host/plugins/built-in-plugins.ts"
import type {NewAccount} from "../../server/process/new-project.ts"
import {didYouMean} from "../../server/runtime/text/suggest.ts"
import type {AccountSetup, Met} from "../../shared/account-setup.ts"
import {messageOf, Problem} from "../../shared/problems.ts"
import {withDeadline} from "../../shared/sdk/adapter/deadline.ts"
import {isRefusal, refused} from "../../shared/sdk/adapter/refusal.ts"
import {askLine} from "./ask-line.ts"

/** The built-in adapters that have a `setup`. */
export const setUpPlatforms = ["telegram", "discord", "matrix", "slack"] as const

type Values = Readonly<Record<string, string>>

interface Options {
  readonly apiUrl: string | undefined
  readonly check: boolean
  tell(text: string): void
}

/** How often a person is asked for the values, and how long the platform may take, in milliseconds. */
const most = {tries: 3, wait: 20_000}

/**
 * Gets the values of a first account from the environment, or from a person at the terminal, and has the platform check
 * them. Writes nothing. Throws `not_found` for an unknown platform, and `request_invalid`.
 */
export const makeAccount = async (
  plugin: string,
  options: Options,
): Promise<{readonly account: NewAccount; readonly met: Met; readonly title: string}> => {
  const load = setUpPlatforms.some(name => name === plugin) ? builtIns[plugin] : undefined
  const {setup, libraries = {}} = (await load?.()) ?? {}
  if (setup === undefined)
    throw new Problem("not_found", `svc init cannot set up "${plugin}"${didYouMean(plugin, setUpPlatforms)}`, {
      hint: `Choose one of ${setUpPlatforms.join(", ")}; for others, run svc adapter add in the new project.`,
    })
  const {values, met} = await tryValues(setup, options)
  const secrets = setup.questions.filter(({isPublic}) => isPublic !== true)
  const named = Object.fromEntries(secrets.map(({key, variable}) => [key, `\${${variable}}`]))
  const account: NewAccount = {
    changes: [
      {change: "add_plugin", plugin},
      {change: "add_account", plugin, account: setup.id, value: {...values, ...named, ...setup.more}},
    ],
    env: secrets.map(({key, variable}) => `${variable}=${values[key]}\n`).join(""),
    libraries,
  }
  return {account, met, title: setup.title}
}

const tryValues = async (setup: AccountSetup, options: Options) => {
  const fixed = options.apiUrl === undefined ? {} : {[setup.address]: options.apiUrl}
  for (let attempt = 1; ; attempt++) {
    const values = await readValues(setup, fixed, attempt === 1 ? process.env : {})
    try {
      requirePlain(setup, values)
      return {values, met: options.check ? await withDeadline(most.wait, signal => setup.meet(values, signal)) : setup}
    } catch (error) {
      if (!isRefusal(error))
        throw new Problem("request_invalid", `could not check the account on ${setup.title}: ${messageOf(error)}`, {
          cause: error,
          hint: "svc wrote nothing. Repeat the command when the network works, or with --no-check.",
        })
      if (process.stdin.isTTY !== true || attempt === most.tries)
        throw new Problem("request_invalid", error.message, {hint: error.remediation})
      options.tell(`svc: ${error.message}`)
    }
  }
}

/** Reads a value from `variables`, or from the terminal. */
const readValues = async (setup: AccountSetup, fixed: Values, variables: NodeJS.ProcessEnv): Promise<Values> => {
  const open = setup.questions.filter(({key}) => fixed[key] === undefined)
  const missing = open.filter(({variable}) => !variables[variable])
  if (missing.length > 0 && process.stdin.isTTY !== true)
    throw new Problem("request_invalid", `${missing.map(({variable}) => variable).join(" and ")} must be set`, {
      hint: `There is no terminal to ask on. ${missing.map(({variable, where}) => `${variable}: ${where}`).join(" ")}`,
    })
  const values: Record<string, string> = {...fixed}
  for (const {key, variable, where, isPublic} of open)
    values[key] = variables[variable] || (await askLine(`${where}\n${variable}: `, isPublic !== true))
  return values
}

/** Refuses a value that would need quotes in `.env`: no token has such characters. */
const requirePlain = ({questions}: AccountSetup, values: Values): void => {
  const wrong = questions.find(({key}) => !/^[\w.:/+=~-]+$/.test(values[key] ?? ""))
  if (wrong === undefined) return
  const remediation = `Copy it without spaces and quotes. ${wrong.where}`
  throw refused(`${wrong.variable} is empty, or has characters that it cannot have`, {reason: "value", remediation})
}
