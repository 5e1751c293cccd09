import {expect, test} from "vitest"
import {requireAdapter} from "../../../server/generation/kinds/adapter/definition.ts"
import type {AdapterDefinition} from "../../../shared/sdk/adapter/adapter.ts"
import type {TSchema} from "../../../shared/type.ts"

const declare = (more: object) => () =>
  requireAdapter("queue", {
    history: "none",
    open: async () => ({send: async () => ({ids: []})}),
    ...more,
  } as AdapterDefinition<TSchema>)

test("an adapter may declare its features, limits and rate", () => {
  expect(declare({})).not.toThrow()
  expect(
    declare({
      features: ["edit", "guild.member.mute"],
      limits: {text: 1},
      rate: {messages: 1, per: 0.5},
      history: "replay",
      forgetsAcknowledged: true,
    }),
  ).not.toThrow()
})

test.for([
  ["no open", {open: undefined}, "needs open()"],
  ["an unknown history", {history: "all"}, "needs history: one of replay, none, inside"],
  ["a forgetting platform with another history", {forgetsAcknowledged: true}, "needs history: replay"],
  [
    "a platform that forgets sometimes",
    {history: "replay", forgetsAcknowledged: "yes"},
    "forgetsAcknowledged as true or false",
  ],
  ["sockets for every account", {sockets: true}, "sockets that is not a function"],
  ["a text limit of half a character", {limits: {text: 0.5}}, "limits.text"],
  ["a rate of zero", {rate: {messages: 0, per: 1000}}, "rate.messages"],
  ["a rate without time", {rate: {messages: 1, per: Number.NaN}}, "rate.per"],
  ["roles of an unknown kind", {roles: "some"}, "needs roles: unique or local"],
  ["an unknown feature", {features: ["edit", "fly"]}, "declares the unknown feature fly"],
  ["forms without buttons", {features: ["forms"]}, "declares forms, which needs buttons"],
  ["menus without buttons", {features: ["selects"]}, "declares selects, which needs buttons"],
] as const)("an adapter with %s is refused", ([, more, message]) => expect(declare(more)).toThrow(message))
