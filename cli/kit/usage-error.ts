import {didYouMean} from "../../server/runtime/text/suggest.ts"
import {messageOf} from "../../shared/problems.ts"
import type {Definition} from "./help.ts"

/** Describes an unknown command, with the most similar name. */
export const unknownCommand = (words: readonly string[], names: readonly string[]): string => {
  const typed = words.slice(0, names.some(name => name.startsWith(`${words[0]} `)) ? 2 : 1).join(" ")
  const meant = didYouMean(typed, names) || didYouMean(typed, [...new Set(names.map(name => name.split(" ")[0] ?? ""))])
  return `svc: there is no command "${typed}"${meant}\n  hint: svc --help lists the commands`
}

type Options = Pick<Definition, "options" | "required">

/** Describes a wrong call: a negative id, an unknown option, a missing option, or the parser's error. */
export const wrongCall = (error: unknown, name: string, args: readonly string[], known: Options): string => {
  const id = args.includes("--") ? undefined : args.find(arg => /^-\d/.test(arg))
  if (id !== undefined)
    return `svc: ${id} looks like an option\n  hint: put -- before the arguments, and options before that: svc ${name} -- … ${id} …`
  const given = args.filter(arg => arg.startsWith("--")).map(arg => arg.replace(/=.*/, ""))
  const what =
    unknownOption(given, known) ??
    missingOption(given, known) ??
    (messageOf(error).split("\n")[0] ?? "").replace(/\.$/, "")
  return `svc: ${what.replace(/^[A-Z]/, letter => letter.toLowerCase())}\n  hint: svc ${name} --help shows how to call it`
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
