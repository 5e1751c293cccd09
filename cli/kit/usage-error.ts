import {didYouMean} from "../../server/config/suggest.ts"
import {messageOf} from "../../shared/problems.ts"

/** What was typed that no command is: what is wrong with it, and what was probably meant. */
export const unknownCommand = (words: readonly string[], names: readonly string[]): string => {
  const typed = words.slice(0, names.some(name => name.startsWith(`${words[0]} `)) ? 2 : 1).join(" ")
  const meant = didYouMean(typed, names) || didYouMean(typed, [...new Set(names.map(name => name.split(" ")[0] ?? ""))])
  return `svc: there is no command "${typed}"${meant}\n  hint: svc --help lists the commands`
}

/** How a command was called wrongly. `options` are the names of those it has. */
export const wrongCall = (
  error: unknown,
  name: string,
  args: readonly string[],
  options: readonly string[],
): string => {
  const given = args.filter(arg => arg.startsWith("--")).map(arg => arg.replace(/=.*/, ""))
  const unknown = given.find(option => !options.includes(option.replace(/^--no-/, "--")) && option !== "--help")
  const what =
    unknown === undefined
      ? (messageOf(error).split("\n")[0] ?? "").replace(/\.$/, "")
      : `there is no option ${unknown}${didYouMean(unknown, options)}`
  return `svc: ${what.replace(/^[A-Z]/, letter => letter.toLowerCase())}\n  hint: svc ${name} --help tells how to call it`
}
