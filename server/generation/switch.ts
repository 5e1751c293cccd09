import {Problem} from "../../shared/problems.ts"
import {saysTheSame, withEnabled} from "../config/enabled.ts"
import type {ConfigText, LoadedConfig} from "../config/load.ts"
import {sha256Of} from "../runtime/files.ts"
import {didYouMean} from "../runtime/text/suggest.ts"
import type {NewPin, Pin} from "./generation.ts"

/** A plugin to enable or disable while the Host runs; the file does not change. */
export interface Switch {
  readonly name: string
  readonly enabled: boolean
}

/**
 * Returns the running configuration with a plugin enabled or disabled, pinned for the file that the running
 * configuration came from. `file` is the project's current file: if it already says the same, there is no pin. Throws
 * `plugin_unknown`, `conflict`.
 */
export const switchIn = (
  running: LoadedConfig,
  pin: Pin | undefined,
  file: ConfigText,
  {name, enabled}: Switch,
): {readonly text: ConfigText; readonly pin: NewPin | undefined} => {
  const entry = Object.hasOwn(running.config.plugins, name) ? running.config.plugins[name] : undefined
  if (entry === undefined) {
    const guess = didYouMean(name, Object.keys(running.config.plugins))
    throw new Problem("plugin_unknown", `the running configuration has no plugin "${name}"${guess}`)
  }
  if (entry.enabled === enabled) throw new Problem("conflict", `${name} is already ${enabled ? "enabled" : "disabled"}`)
  const text = withEnabled(running.text, name, enabled)
  if (text === undefined)
    throw new Problem("conflict", `plugins.${name} shares its settings with others: edit ${file.file} by hand`)
  const fileSha256 = pin?.fileSha256 ?? running.sha256
  if (fileSha256 === file.sha256 && saysTheSame(text, file.text)) return {text: file, pin: undefined}
  return {text: {file: "the pinned configuration", text, sha256: sha256Of(text)}, pin: {number: "own", fileSha256}}
}
