/// <reference types="svelte" />
declare module "*.css" {}
