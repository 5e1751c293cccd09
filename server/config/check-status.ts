import type {ProjectConfig} from "../../shared/config.ts"
import type {Issue} from "../../shared/problems.ts"
import type {Source} from "./source.ts"
import {didYouMean} from "./suggest.ts"

const kinds = ["endpoint", "plugin", "agent"] as const

/** Checks the labels of `status` without knowing the endpoints. */
export const checkStatus = (source: Source, {status, plugins, agents}: ProjectConfig): Issue[] =>
  status.labels.flatMap((label, index) => {
    const at = ["status", "labels", index]
    const [first, second] = kinds.filter(kind => label[kind] !== undefined)
    const isUnknown = (kind: "plugin" | "agent", known: object) =>
      label[kind] === undefined || Object.hasOwn(known, label[kind])
        ? []
        : [source.issue([...at, kind], noSuch(kind, label[kind], Object.keys(known)))]
    const isTaken = status.labels.slice(0, index).some(other => other.label === label.label)
    return [
      ...(second === undefined
        ? []
        : [source.issue([...at, second], `a label names one thing, and this one already names its ${first}`, "key")]),
      ...(isTaken ? [source.issue([...at, "label"], `the label "${label.label}" is used twice`)] : []),
      ...(label.endpoint === "*"
        ? [source.issue([...at, "endpoint"], "expected the name of one endpoint; leave it out for the whole bot")]
        : []),
      ...isUnknown("plugin", plugins),
      ...isUnknown("agent", agents),
    ]
  })

const noSuch = (kind: string, name: string, known: readonly string[]): string =>
  `there is no ${kind} "${name}"${didYouMean(name, known)}`
