/** A message before and after it is scrubbed, for the home page. `home.test.ts` scrubs it. */
export const scrubExample = {
  before: `The deploy fails with
postgres://app:Tr0ub4dor-7x@db.acme.com/main
See /home/mlindqvist/deploy.log and the last commit:
Author: Maria Lindqvist <maria@acme.com>`,
  after: `The deploy fails with
postgres://app:[PASSWORD_1]@db.acme.com/main
See /home/[USER_1]/deploy.log and the last commit:
Author: [PERSON_1] <[EMAIL_1]>`,
} as const
