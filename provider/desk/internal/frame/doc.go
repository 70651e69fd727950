// Package frame is what the rooms of the desk have in common: who is let in, to which pages,
// how fresh their sign-in must be, in which matter they look at a person, and what is around a
// page. A room offers [Route]s, whose handlers get a [Request]; the frame has answered it
// already if its sender may not see the page.
package frame
