import {quoted} from "../../server/process/toolchain.ts"
import {didYouMean} from "../../server/runtime/text/suggest.ts"
import {messageOf} from "../../shared/problems.ts"
import type {Definition} from "./help.ts"
import {unmarked} from "./minus.ts"

/** Describes an unknown command, with the most similar name. */
export const unknownCommand = (words: readonly string[], names: readonly string[]): string => {
  const typed = words.slice(0, names.some(name => name.startsWith(`${words[0]} `)) ? 2 : 1).join(" ")
  const meant = didYouMean(typed, names) || didYouMean(typed, [...new Set(names.map(name => name.split(" ")[0] ?? ""))])
  return `svc: there is no command "${typed}"${meant}\n  hint: svc --help lists the commands`
}

type Options = Pick<Definition, "options" | "required">

/** Describes a wrong call: an unknown option, a missing option, a value that looks like an option, or the parser's error. */
export const wrongCall = (error: unknown, name: string, args: readonly string[], known: Options): string => {
  const given = args.filter(arg => arg.startsWith("--")).map(arg => arg.replace(/=.*/, ""))
  const said = messageOf(unmarked(error instanceof Error ? error.message : error)).replace(/\.?(\n.*)?$/s, "")
  const [, option] = /^Not enough arguments to option (--\S+)$/.exec(said) ?? []
  const value = option === undefined ? undefined : /^-[a-z].*/i.exec(args[args.indexOf(option) + 1] ?? "")?.[0]
  const what = unknownOption(given, known) ?? missingOption(given, known) ?? said
  const hint =
    value === undefined
      ? `svc ${name} --help shows how to call it`
      : `for a value that starts with a minus: svc ${name} … ${option}=${quoted(value)}`
  return `svc: ${what.replace(/^[A-Z]/, letter => letter.toLowerCase())}\n  hint: ${hint}`
}

const nameOf = (option: string): string => option.split(" ")[0] ?? ""

const unknownOption = (given: readonly string[], {options}: Options): string | undefined => {
  const names = options.map(([option]) => nameOf(option))
  const unknown = given.find(option => !names.includes(option.replace(/^--no-/, "--")) && option !== "--help")
  return unknown === undefined ? undefined : `there is no option ${unknown}${didYouMean(unknown, names)}`
}

const missingOption = (given: readonly string[], {required}: Options): string | undefined => {
  const missing = required.filter(([option]) => !given.includes(nameOf(option)))
  return missing.length === 0
    ? undefined
    : `${missing.map(([option]) => option).join(" and ")} ${missing.length === 1 ? "is" : "are"} missing`
}
