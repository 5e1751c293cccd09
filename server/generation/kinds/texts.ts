import type {Plugin} from "../../../shared/sdk/plugin/plugin.ts"
import {DeclaredTexts, textsHandle} from "../plugins/declarations/texts.ts"
import {declarationsOf, type Setup} from "./kind.ts"

export const texts = (setup: Setup) => {
  const declared: DeclaredTexts[] = []
  const declare: Plugin["texts"] = table => {
    setup.begin("texts")
    const added = new DeclaredTexts(table)
    declared.push(added)
    return textsHandle(added, table)
  }
  return declarationsOf({
    methods: {texts: declare},
    declared,
    finish: async () => {
      for (const each of declared) await each.load()
    },
    notes: place => declared.flatMap(each => each.notes.map(note => `${place(each.errorThere(""))}: texts(): ${note}`)),
  })
}
