# For Doxygen: our comments are plain ones, and a backslash in them is one.
/^ *\/\//s,\\,\\\\,g
s,^( *)// ,\1/// ,
s,([;{\,]) +// ,\1 ///< ,
