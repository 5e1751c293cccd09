import {capabilityId} from "../../../shared/ids.ts"
import {messageOf} from "../../../shared/problems.ts"
import type {DeclareForm} from "../../../shared/sdk/plugin/declare-form.ts"
import type {FormDeclaration} from "../../messages/forms/fields.ts"
import {createForm, type Form} from "../../messages/forms/form.ts"
import type {ActionRunner, Continuation} from "../../messages/session/handler.ts"
import {actionHandle, requireAction} from "./action-handle.ts"
import {readArguments} from "./checks.ts"
import {type CapabilityName, declarationsOf, type Publishing, type Setup} from "./kind.ts"

/** A form is a prompt and an action: the handlers of its answers and presses. */
interface PublishedForm {
  readonly form: Form
  readonly prompt: Continuation
  readonly action: ActionRunner
}

export const forms = (setup: Setup) => {
  const declared = new Map<string, FormDeclaration>()
  const form: DeclareForm = (name, definition, handle) => {
    const what = setup.begin("form", name)
    const read = readArguments<FormDeclaration["definition"], FormDeclaration["handle"]>(
      "form",
      what,
      definition,
      handle ?? "",
    )
    requireAction(what, definition)
    setup.claim(what, "form", name, kinds)
    const promptId = capabilityId(setup.owner, "prompt", name)
    const actionId = capabilityId(setup.owner, "action", name)
    declared.set(name, {name, promptId, actionId, ...read})
    const {button} = actionHandle(name, actionId, definition)
    return {kind: "form", name, button: (data, label) => button(data, label)}
  }
  return declarationsOf({
    methods: {form},
    declared,
    publish: at => ({
      items: [...declared.values()].flatMap(each => publish(each, at)),
      capabilities: kinds.flatMap(kind => [...declared.keys()].map((name): CapabilityName => ({kind, name}))),
    }),
  })
}

const kinds = ["prompt", "action"] as const

const publish = (declared: FormDeclaration, at: Publishing): readonly PublishedForm[] => {
  try {
    const form = createForm(declared, at.texts)
    return [
      {
        form,
        prompt: {...at.handler(declared.promptId), prompt: form.prompt},
        action: {...at.handler(declared.actionId), action: form.action},
      },
    ]
  } catch (error) {
    at.report(`form("${declared.name}"): ${messageOf(error)}`)
    return []
  }
}
