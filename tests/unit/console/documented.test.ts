import {expect, test} from "vitest"
import {violationsOf} from "../../support/console/documented.ts"

const Item = {type: "object", required: ["id"], properties: {id: {type: "integer"}}}
const answer = {content: {"application/json": {schema: {$ref: "#/components/schemas/Item"}}}}
const document = {
  paths: {"/api/items/{id}": {get: {responses: {200: answer, 404: {$ref: "#/components/responses/Unknown"}}}}},
  components: {schemas: {Item}, responses: {Unknown: {content: {"application/problem+json": {schema: Item}}}}},
}
const asked = {method: "GET", path: "/api/items/7", status: 200, type: "application/json", body: {id: 7}}

test.each([
  ["an answer as documented", {}, 0],
  ["a property of another type", {body: {id: "7"}}, 1],
  ["a documented problem", {status: 404, type: "application/problem+json"}, 0],
  ["another content", {type: "application/problem+json"}, 1],
  ["another status", {status: 409}, 1],
  ["another method", {method: "POST"}, 1],
  ["another path", {path: "/api/items/7/more"}, 1],
] as const)("%s", (_name, part, count) => {
  expect(violationsOf(document, {...asked, ...part})).toHaveLength(count)
})
