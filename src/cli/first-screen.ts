/** What bare `offshoot` shows on a terminal: one screen of 24 lines and 80 columns. */
export const FIRST_SCREEN = `offshoot "where is the port configured?"      ask about this directory
git diff | offshoot "review this"             hand over data with the question
offshoot -c "and which tests cover it?"       continue the latest conversation
offshoot serve --open                         work in the browser

An agent answers. It delegates parts of the work to subagents, asks before it
changes a file or runs a command, and keeps everything: you can watch, stop,
resume and fork each subagent.

  offshoot ls                 list conversations
  offshoot ps                 list runs that have not ended
  offshoot show ID            show the subagents of a conversation
  offshoot continue ID        resume what is paused or has failed
  offshoot models             list models; a key in the environment picks one
  offshoot doctor             check the installation

offshoot --help lists all commands, offshoot COMMAND --help the options of one.
`
